// SPDX-License-Identifier: LGPL-2.1-or-later
//
// docs/store-format.md names the members of a ledger's line and of a budget as the code has them.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "plugin/account/budget.h"
#include "plugin/account/ledger_entry.h"

namespace genclip::test {
namespace {

// The section under "## NAME".
std::string section(const std::string &name) {
  std::ifstream file(std::string(GENCLIP_DOCS) + "/store-format.md");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const size_t begin = text.find("\n## " + name + "\n");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find("\n## ", begin + 1) - begin);
}

// What stands in backquotes in the first cells of the table with that head.
std::vector<std::string> names_in_table(const std::string &text, const std::string &head) {
  std::vector<std::string> names;
  size_t at = text.find("\n| " + head + " |");
  if (at == text.npos) return names;
  for (at = text.find('\n', at + 1); text.substr(at, 3) == "\n| "; at = text.find('\n', at + 1)) {
    const std::string cell = text.substr(at + 3, text.find(" |", at) - at - 3);
    for (size_t open = cell.find('`'); open != cell.npos;) {
      const size_t close = cell.find('`', open + 1);
      names.push_back(cell.substr(open + 1, close - open - 1));
      open = cell.find('`', close + 1);
    }
  }
  return names;
}

TEST(AccountDocument, NamesTheMembersOfALine) {
  std::vector<std::string> members(ledger_members().begin(), ledger_members().end());
  EXPECT_EQ(names_in_table(section("ledger.jsonl"), "Member"), members);
}

TEST(AccountDocument, NamesTheEvents) {
  const auto events = words_of<LedgerEvent>();
  EXPECT_EQ(names_in_table(section("ledger.jsonl"), "Event"), events);
}

TEST(AccountDocument, NamesTheCountsOfCaptions) {
  std::vector<std::string> counts;
  for (const CaptionMember &member : caption_members()) counts.emplace_back(member.name);
  EXPECT_EQ(names_in_table(section("ledger.jsonl"), "Count"), counts);
}

TEST(AccountDocument, NamesTheLimits) {
  std::vector<std::string> limits;
  for (const BudgetLimit &limit : budget_limits()) limits.emplace_back(limit.name);
  EXPECT_EQ(names_in_table(section("budget.json"), "Member"), limits);
}

// The options are the members with dashes.
TEST(AccountDocument, NamesOptionsLikeMembers) {
  for (const BudgetLimit &limit : budget_limits()) {
    std::string option = "--" + std::string(limit.name);
    std::replace(option.begin(), option.end(), '_', '-');
    EXPECT_EQ(limit.option, option);
  }
}

}  // namespace
}  // namespace genclip::test
