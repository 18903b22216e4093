// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Every decision of a request that is made of other clips, its links, without I/O: what is judged before
// anything is paid, which link is made next, which are held in the store, what the run has paid, and when it
// must not go on.
//
// All links and the request itself are one plan. Its run looks at the whole of it before the first payment
// and again before each further one, because a neighbour may have made a link meanwhile, or a link may have
// cost more than it was thought to. A link that the store has stays held until the request itself was
// submitted: otherwise a limit of the store's size would remove it, and it would be paid again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "plugin/account/decision.h"
#include "plugin/core/clip_run.h"
#include "plugin/core/clip_view.h"

namespace genclip {

// What a run finds of a link.
enum class LinkState {
  absent,     // It is to be made and paid.
  in_doubt,   // Likewise, and whether an earlier submit of it was charged is unknown.
  unfetched,  // Likewise, unless its own run, which asks before it pays, finds an earlier task of it.
  under_way,  // Its task is at the service, so it is to be followed. Nothing is to be paid.
  stored,     // The store has it, and this run holds it there.
};

struct ChainLink {
  std::vector<size_t> needs = {};  // The links that its request refers to; each comes before it.
  LinkState state = LinkState::absent;
  std::optional<Estimate> estimate = {};  // Of its price; nothing: it is unknown.
  int64_t submitted_at = 0;               // Of a submit in doubt: Unix time, 0 unknown.
};

// Fixed for the run.
struct ChainWish {
  ClipLimit max_amount;  // For all that the run pays.
  // Credits that the run which this one works for has paid, or may have paid, before it.
  double paid_before = 0;
  MaySubmit may_submit = MaySubmit::even_in_doubt;
};

// ---- Events.

// The links as they are now, all but their `needs`, the store's limits, and what counts against these now,
// without what others have reserved for these links.
struct LinksSeen {
  std::vector<ChainLink> links;
  Budget budget;
  Account account = {};
  UtcTime now = {};
};
// The requests that were to be judged keep all rules that are known.
struct RequestsJudged {};
// Publishing works, as far as that can be known while there is nothing to publish; or no request needs it.
struct PublishingTried {};
// What there is of the request itself was published: its files, before the first link is made; and all that
// comes of links, when each is there.
struct MediaPublished {};
// What the run has paid for the link that it makes, so far.
struct LinkPaid {
  double amount = 0;     // Credits that the service has told.
  bool is_told = false;  // It has told all that was charged.
  bool charged = false;
  std::vector<PaidTask> tasks = {};
};
struct LinkMade {};
struct LinkFailed {
  Charged charged = Charged::no;
};

using ChainEvent =
    std::variant<LinksSeen, RequestsJudged, PublishingTried, MediaPublished, LinkPaid, LinkMade, LinkFailed>;

// ---- What follows.

enum class ChainStep {
  look,            // At all links: hold those that are stored, and read the limits.
  judge,           // The requests `to_judge`, with all that is known of their references.
  try_publishing,  // See PublishingTried.
  publish,         // What is not published yet: see MediaPublished.
  make,            // The link `link`.
  submit,          // The request itself: all that it needs is held and published.
  stay_in_doubt,   // End: an earlier submit of `link` may have been charged, and must not be repeated.
  refuse,          // End: `refusal` says which limit does not allow it.
  miss,            // End: this run has made `link`, and something has removed it since.
  end,             // End with the error of what was tried.
};

// What observers see.
struct ChainView {
  size_t link = 0;                      // Which link is made, from 1; 0: none.
  size_t links = 0;                     // With the request itself.
  double amount = 0;                    // Credits that the run was told to have paid for links.
  bool charged = false;                 // Whether it was charged for one, whatever that has cost.
  std::vector<PaidTask> tasks = {};     // … for these tasks.
  std::optional<double> estimate = {};  // Credits, likely, for all that is to be paid.

  friend bool operator==(const ChainView &, const ChainView &) = default;
};

// All that a run remembers. A plain value.
struct ChainRun {
  ChainWish wish;
  std::vector<ChainLink> links;  // Each behind all that it needs; the last one is the request itself.
  Budget budget;
  ChainStep step = ChainStep::look;
  size_t link = 0;
  std::vector<size_t> to_judge;
  std::optional<Decision> refusal;
  double paid = 0;    // Credits, for links that were made.
  double untold = 0;  // … as they were estimated, where the service has not told them.
  bool charged = false;
  std::vector<PaidTask> tasks;   // For links that were made.
  LinkPaid current;              // For the link that is made.
  std::vector<bool> made;        // By this run.
  std::vector<int> judged_with;  // How many of its links were stored when it was judged; -1: never.
  bool has_tried_publishing = false;
  bool has_published_files = false;  // Of the request itself.
  bool has_published = false;        // All that it refers to.
};

// The run of a plan, which begins with a look. `needs`: of each link, as in ChainLink.
ChainRun begin_chain(const ChainWish &wish, std::vector<std::vector<size_t>> needs);

// What follows of an event. Deterministic; no I/O. Asserts that the event can happen at this point.
ChainRun react_chain(ChainRun run, const ChainEvent &event);

ChainView view_of(const ChainRun &run);

// The requests that this run has to send, the request itself the last of them.
std::vector<size_t> requests_of(const ChainRun &run);

// The links that a run may need, each of which it holds as soon as it is stored. What stands before a stored
// one is not needed any more; what stands before one that is under way may be.
std::vector<size_t> links_to_hold(const std::vector<ChainLink> &links);

// The refusal with which a run of these links would end; nothing: the limits allow it. `to_pay`: the
// estimates of all that is to be paid, the request itself among them. The limits of `budget` are for one
// after the other, with what `account` has spent; `max_amount` is for all of them together, and for the
// `spent` credits that the run has paid before. A look: what is paid is reserved before, one clip at a time.
std::optional<Decision> chain_refusal(const std::vector<std::optional<Estimate>> &to_pay,
                                      const ClipLimit &max_amount, const Account &account,
                                      const Budget &budget, double spent, UtcTime now);

}  // namespace genclip
