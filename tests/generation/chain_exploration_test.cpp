// SPDX-License-Identifier: LGPL-2.1-or-later
//
// All sequences of events of a chain's run, over a model of its store and its service: links of every shape,
// a neighbour that makes and removes clips, services that fail, and a run that is killed at any point.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugin/core/chain_run.h"
#include "tests/support/exploration.h"

namespace genclip::test {
namespace {

// What each clip was estimated to cost, at most, in credits; and what some cost instead.
constexpr double kPrice = 2, kDear = 3;

struct ChainShape {
  std::vector<std::vector<size_t>> needs;  // The last one is the request itself.
  double max_amount = 0;
  bool has_neighbour = false;
  bool has_prices = false;  // Links cost more than was estimated, or their cost is not told.
  MaySubmit may_submit = MaySubmit::even_in_doubt;
  double total = 0;      // The store's limit of a time.
  size_t unfetched = 0;  // By their bits, the links of which a task must be asked for at the beginning.
};

struct WorldLink {
  LinkState state = LinkState::absent;  // In the store, whoever holds it.
  bool is_held = false;
  int paid = 0;              // Times, by the run.
  bool is_judged = false;    // By the run, as a request.
  bool has_changed = false;  // The service, a neighbour or a person took away what the run knew of it.
};

struct ChainWorld {
  const ChainShape *shape = nullptr;
  std::vector<WorldLink> links;
  std::optional<ChainRun> run;
  bool has_tried = false;  // Publishing.
  double told = 0;         // Credits that the run has paid for links, as far as they were told.
  double spent = 0;        // … all of them.
  double ledger = 0;       // Credits of all runs, if they are limited.
  bool charged = false;
  bool is_done = false;
  std::string violation;

  std::string text() const;
};

struct ChainWorldStep {
  std::string event;
  ChainWorld world;
};

std::string ChainWorld::text() const {
  std::string text;
  const auto add = [&](double value) { text += std::to_string(static_cast<int>(value)) + ","; };
  for (const WorldLink &link : links) {
    add(static_cast<int>(link.state) * 4 + link.is_held * 2 + link.is_judged);
    add(link.paid * 2 + link.has_changed);
  }
  add(has_tried * 4 + charged * 2 + is_done);
  add(told);
  add(spent);
  add(ledger);
  text += violation;
  if (!run) return text + " no run";
  add(static_cast<int>(run->step));
  add(static_cast<double>(run->link));
  for (const ChainLink &link : run->links) add(static_cast<int>(link.state));
  for (const int known : run->judged_with) add(known);
  for (const size_t request : run->to_judge) add(static_cast<double>(request));
  for (const bool made : run->made) add(made);
  add(run->paid);
  add(run->untold);
  add(run->current.amount);
  add(run->charged * 4 + run->has_published * 2 + run->has_published_files);
  add(run->refusal.has_value());
  return text;
}

bool is_unpaid(LinkState state) { return state != LinkState::under_way && state != LinkState::stored; }

// The requests that are to be sent as the run saw the store last, the request itself among them.
std::vector<bool> unpaid_requests(const ChainWorld &world) {
  std::vector<bool> requests(world.links.size(), false);
  requests.back() = true;
  for (size_t i = world.links.size(); i-- > 0;)
    if (requests[i])
      for (const size_t before : world.shape->needs[i])
        if (is_unpaid(world.run->links[before].state)) requests[before] = true;
  return requests;
}

void tell(ChainWorld &world, const ChainEvent &event) {
  world.run = react_chain(std::move(*world.run), event);
  const ChainView view = view_of(*world.run);
  if (view.amount != world.told) world.violation = "observers see another sum than was paid";
  if (view.charged != world.charged) world.violation = "observers see another charge than there is";
}

void begin(ChainWorld &world) {
  world.run = begin_chain({world.shape->max_amount, 0, world.shape->may_submit}, world.shape->needs);
  world.has_tried = world.charged = false;
  world.told = world.spent = 0;
  for (WorldLink &link : world.links) link.paid = link.is_judged = link.has_changed = false;
}

void end(ChainWorld &world) {
  world.run.reset();
  for (WorldLink &link : world.links) link.is_held = false;
}

Account account_of(double spent) {
  LedgerEntry entry;
  entry.event = LedgerEvent::settle;
  entry.imported = true;
  entry.key = entry.task_id = "before";
  entry.status = "completed";
  entry.amount = spent;
  Account account;
  EXPECT_TRUE(account.apply(entry));
  EXPECT_EQ(account.sums({}, 0).spent.credits, spent);
  return account;
}

// As ChainWork does it.
void look(ChainWorld &world) {
  LinksSeen seen;
  for (const WorldLink &link : world.links)
    seen.links.push_back({{}, link.state, Estimate{kPrice, kPrice, kPrice, 3, "same"}, 0});
  for (size_t i = 0; i < seen.links.size(); ++i) seen.links[i].needs = world.shape->needs[i];
  seen.links.back().state = LinkState::absent;
  for (const size_t link : links_to_hold(seen.links))
    if (world.links[link].state == LinkState::stored) world.links[link].is_held = true;
  seen.budget.total = world.shape->total;
  seen.account = account_of(world.ledger);
  tell(world, seen);
}

// The request of that link, or the request itself, leaves.
void pay(ChainWorld &world, size_t link, double amount) {
  const bool is_request = link + 1 == world.links.size();
  const auto requests = unpaid_requests(world);
  for (const size_t before : world.shape->needs[link])
    if (world.links[before].state != LinkState::stored || !world.links[before].is_held)
      world.violation = "a request is sent whose link is not held";
  double most = world.spent, most_of_ledger = world.ledger;
  for (size_t i = 0; i < requests.size(); ++i) {
    if (!requests[i]) continue;
    most += kPrice;
    most_of_ledger += kPrice;
    // What changed since the run looked is judged by the run that finds it.
    if (!world.links[i].is_judged && !world.links[i].has_changed)
      world.violation = "a payment before all was judged";
  }
  bool has_changed = false;
  for (const WorldLink &other : world.links) has_changed |= other.has_changed;
  if (world.shape->max_amount > 0 && most > world.shape->max_amount && !has_changed)
    world.violation = "more may be paid than max-amount allows";
  if (world.shape->total > 0 && most_of_ledger > world.shape->total && !has_changed)
    world.violation = "a payment, and the limit of a time will refuse what it is for";
  if (!is_request && !world.has_tried) world.violation = "a link is paid before publishing was tried";
  if (world.shape->may_submit != MaySubmit::even_in_doubt && world.links[link].state == LinkState::in_doubt)
    world.violation = "a submit in doubt is repeated";
  if (world.shape->may_submit != MaySubmit::even_in_doubt && world.links[link].state == LinkState::absent)
    for (size_t i = 0; i < requests.size(); ++i)
      if (requests[i] && world.run->links[i].state == LinkState::unfetched)
        world.violation = "a payment before a task was asked for, whose link may be in doubt";
  if (++world.links[link].paid > 1) world.violation = "a link is paid twice in one run";
  if (!is_request) world.spent += amount;
  if (world.shape->total > 0) world.ledger += amount;
}

void make_and_store(ChainWorld &world, size_t link) {
  world.links[link].state = LinkState::stored;
  world.links[link].is_held = true;  // By its generation, and then by the run.
  tell(world, LinkMade{});
}

class ChainSteps {
 public:
  explicit ChainSteps(const ChainWorld &world) : world_(world) {}

  std::vector<ChainWorldStep> take() {
    if (!world_.violation.empty() || world_.is_done) return {};
    if (world_.shape->has_neighbour) add_neighbour();
    if (!world_.run) {
      add("begin", begin);
      return std::move(steps_);
    }
    add("killed", end);
    add_run();
    return std::move(steps_);
  }

 private:
  template <typename Edit>
  void add(const std::string &event, Edit edit) {
    ChainWorldStep step{event, world_};
    edit(step.world);
    steps_.push_back(std::move(step));
  }

  void add_neighbour() {
    for (size_t i = 0; i + 1 < world_.links.size(); ++i) {
      const WorldLink &link = world_.links[i];
      const std::string name = std::to_string(i);
      if (link.state == LinkState::stored && !link.is_held)
        add("neighbour removes " + name, [i](ChainWorld &world) {
          world.links[i].state = LinkState::absent;
          world.links[i].has_changed = world.run.has_value();
        });
      const bool is_at_work = world_.run && world_.run->step == ChainStep::make && world_.run->link == i;
      if (is_unpaid(link.state) && !is_at_work)
        add("neighbour submits " + name,
            [i](ChainWorld &world) { world.links[i].state = LinkState::under_way; });
      if (link.state == LinkState::under_way) {
        add("neighbour makes " + name, [i](ChainWorld &world) { world.links[i].state = LinkState::stored; });
        add("service forgets " + name, [i](ChainWorld &world) {
          world.links[i].state = LinkState::unfetched;
          world.links[i].has_changed = world.run.has_value();
        });
        add("service fails " + name, [i](ChainWorld &world) {
          world.links[i].state = LinkState::absent;
          world.links[i].has_changed = world.run.has_value();
        });
      }
    }
  }

  void add_run() {
    switch (world_.run->step) {
      case ChainStep::look: return add("look", look);
      case ChainStep::judge:
        add("judged", [](ChainWorld &world) {
          for (const size_t request : world.run->to_judge) world.links[request].is_judged = true;
          tell(world, RequestsJudged{});
        });
        return add("judged wrong", end);
      case ChainStep::try_publishing:
        add("publishing tried", [](ChainWorld &world) {
          world.has_tried = true;
          tell(world, PublishingTried{});
        });
        return add("publishing does not work", end);
      case ChainStep::publish:
        add("published", [](ChainWorld &world) { tell(world, MediaPublished{}); });
        return add("not published", end);
      case ChainStep::make: return add_making();
      case ChainStep::submit:
        return add("submitted", [](ChainWorld &world) {
          if (!world.run->has_published) world.violation = "submitted before all was published";
          pay(world, world.links.size() - 1, kPrice);
          end(world);
          world.is_done = true;
        });
      case ChainStep::refuse:
        if (world_.shape->max_amount == 0 && world_.shape->total == 0)
          add("refused", [](ChainWorld &world) { world.violation = "refused without a limit"; });
        return add("refused", end);
      case ChainStep::stay_in_doubt:
      case ChainStep::miss:
      case ChainStep::end: return add("ended", end);
    }
  }

  void add_making() {
    const size_t link = world_.run->link;
    const LinkState state = world_.links[link].state;
    if (state == LinkState::stored)
      return add("was there", [link](ChainWorld &world) { make_and_store(world, link); });
    if (state == LinkState::under_way)
      return add("followed", [link](ChainWorld &world) { make_and_store(world, link); });
    if (state == LinkState::unfetched)
      add("found again", [link](ChainWorld &world) { make_and_store(world, link); });
    if (state == LinkState::unfetched && world_.shape->may_submit != MaySubmit::even_in_doubt)
      add("not found, so in doubt", [link](ChainWorld &world) {
        tell(world, LinkFailed{Charged::no});
        end(world);
        world.links[link].state = LinkState::in_doubt;
      });
    for (const size_t before : world_.shape->needs[link])
      if (world_.links[before].state != LinkState::stored || !world_.links[before].is_held) {
        // Its task was at the service when the run looked, and is gone: its own run begins with a look, too,
        // and makes what is missing, in the same way.
        return add("its own run", [link](ChainWorld &world) { make_before(world, link); });
      }
    add_paying(link, "made", kPrice, true);
    if (world_.shape->has_prices) {
      add_paying(link, "made for more", kDear, true);
      add_paying(link, "made for an unknown price", kPrice, false);
    }
    add("made, and removed by a person at once", [link](ChainWorld &world) {
      pay(world, link, kPrice);
      world.told += kPrice;
      world.charged = true;
      tell(world, LinkPaid{kPrice, true, true});
      tell(world, LinkMade{});
      world.links[link].has_changed = true;
    });
    add("refused by the service", [](ChainWorld &world) {
      tell(world, LinkFailed{Charged::no});
      end(world);
    });
    add("failed and charged", [link](ChainWorld &world) {
      pay(world, link, kPrice);
      world.told += kPrice;
      world.charged = true;
      tell(world, LinkPaid{kPrice, true, true});
      tell(world, LinkFailed{Charged::yes});
      end(world);
    });
    add("failed free of charge", [](ChainWorld &world) {
      const bool charged = std::exchange(world.charged, true);
      tell(world, LinkPaid{0, false, true});
      world.charged = charged;
      tell(world, LinkFailed{Charged::no});
      end(world);
    });
    add("unanswered", [link](ChainWorld &world) {
      pay(world, link, kPrice);
      tell(world, LinkFailed{Charged::maybe});
      end(world);
      world.links[link].state = LinkState::in_doubt;
    });
    add("killed while it is made", [link](ChainWorld &world) {
      pay(world, link, kPrice);
      end(world);
      world.links[link].state = LinkState::under_way;
    });
  }

  // The run of a link pays for the nearest that is missing before it, and holds it with the others.
  static void make_before(ChainWorld &world, size_t link) {
    for (const size_t before : world.shape->needs[link]) {
      WorldLink &needed = world.links[before];
      if (needed.state == LinkState::stored) {
        needed.is_held = true;
        continue;
      }
      bool is_ready = true;
      for (const size_t further : world.shape->needs[before])
        is_ready &= world.links[further].state == LinkState::stored && world.links[further].is_held;
      if (!is_ready) return make_before(world, before);
      // Who has removed it by hand, while it was needed, may pay for it again.
      if (needed.state != LinkState::under_way && ++needed.paid > 1 && !needed.has_changed)
        world.violation = "a link is paid twice in one run";
      needed.state = LinkState::stored;
      needed.is_held = true;
    }
  }

  void add_paying(size_t link, const std::string &event, double amount, bool is_told) {
    add(event, [=](ChainWorld &world) {
      pay(world, link, amount);
      if (is_told) world.told += amount;
      world.charged = true;
      tell(world, LinkPaid{is_told ? amount : 0, is_told, true});
      make_and_store(world, link);
    });
  }

  const ChainWorld &world_;
  std::vector<ChainWorldStep> steps_;
};

std::vector<ChainWorldStep> steps_of(const ChainWorld &world) { return ChainSteps(world).take(); }

std::string broken_promise(const ChainWorld &world) { return world.violation; }

// Every way in which up to `most` links can refer to each other, each needed by another one or the request.
std::vector<std::vector<std::vector<size_t>>> shapes(size_t most) {
  std::vector<std::vector<std::vector<size_t>>> shapes;
  for (size_t links = 1; links <= most; ++links) {
    const size_t bits = links * (links + 1) / 2;
    for (uint64_t mask = 0; mask < uint64_t{1} << bits; ++mask) {
      std::vector<std::vector<size_t>> needs(links + 1);
      std::vector<bool> is_used(links, false);
      for (size_t i = 1, bit = 0; i <= links; ++i)
        for (size_t before = 0; before < i; ++before, ++bit)
          if (mask >> bit & 1) {
            needs[i].push_back(before);
            is_used[before] = true;
          }
      if (std::find(is_used.begin(), is_used.end(), false) == is_used.end()) shapes.push_back(needs);
    }
  }
  return shapes;
}

class ChainExploration : public testing::Test {
 protected:
  ~ChainExploration() override {
    std::cout << static_cast<uint64_t>(sequences_) << " sequences of " << shapes_ << " shapes, " << states_
              << " states\n";
  }

  void explore(const ChainShape &shape, size_t length) {
    ChainWorld world;
    world.shape = &shape;
    world.links.resize(shape.needs.size());
    for (size_t i = 0; i + 1 < world.links.size(); ++i)
      if (shape.unfetched >> i & 1) world.links[i].state = LinkState::unfetched;
    Exploration<ChainWorld> exploration(world);
    exploration.go(length);
    ++shapes_;
    sequences_ += exploration.sequences();
    states_ += exploration.states();
    ASSERT_TRUE(exploration.violations().empty()) << exploration.violations().front();
  }

  double sequences_ = 0;
  size_t shapes_ = 0, states_ = 0;
};

TEST_F(ChainExploration, NoLinkIsPaidTwiceOrBeforeAllWasJudgedOrLostBeforeItsRequest) {
  for (const auto &needs : shapes(3)) {
    ChainShape shape{needs};
    shape.has_neighbour = true;
    ASSERT_NO_FATAL_FAILURE(explore(shape, length_of_sequences(10)));
  }
}

TEST_F(ChainExploration, OfFourLinksEachStepMayFail) {
  for (const auto &needs : shapes(4)) {
    ChainShape shape{needs};
    ASSERT_NO_FATAL_FAILURE(explore(shape, length_of_sequences(40)));
  }
}

// Its task was under way when the chain's run looked, and has failed.
TEST(ChainOfALink, MaxAmountCountsWhatTheChainHasPaidBeforeIt) {
  ChainRun run = begin_chain({3, 2}, {{}});
  run = react_chain(run, LinksSeen{{{{}, LinkState::absent, Estimate{2, 2, 2, 3, "same"}}}, {}});
  EXPECT_EQ(react_chain(run, RequestsJudged{}).step, ChainStep::refuse);
}

TEST_F(ChainExploration, NothingIsPaidThatALimitOrAnEarlierDoubtForbids) {
  for (const auto &needs : shapes(3))
    for (const double max_amount : {kPrice * 2, kPrice * 4})
      for (size_t unfetched = 0; unfetched < size_t{1} << (needs.size() - 1); ++unfetched) {
        ChainShape shape{needs, max_amount};
        shape.has_prices = true;
        shape.may_submit = MaySubmit::unless_in_doubt;
        shape.unfetched = unfetched;
        ASSERT_NO_FATAL_FAILURE(explore(shape, length_of_sequences(40)));
      }
}

// Half of a chain is worth nothing to whoever asked for the whole.
TEST_F(ChainExploration, NothingIsPaidOfWhichTheRestIsForbiddenByALimitOfATime) {
  for (const auto &needs : shapes(3))
    for (const double total : {kPrice * 2, kPrice * 4}) {
      ChainShape shape{needs};
      shape.total = total;
      shape.has_prices = true;
      ASSERT_NO_FATAL_FAILURE(explore(shape, length_of_sequences(40)));
    }
}

}  // namespace
}  // namespace genclip::test
