// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Names that tell clips apart, and never lead out of their folder.
#include "plugin/store/clip_path.h"

#include <glib.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

namespace genclip::test {
namespace {

ClipIdentity identity() {
  return {"https://api.example/base", "tasks", Json(Json::Object{{"model", "m"}, {"prompt", "a kite"}}), 0};
}

TEST(ClipPath, TheDigestIsOfTheCanonicalIdentity) {
  ClipIdentity reordered = identity();
  reordered.request = Json(Json::Object{{"prompt", "a kite"}, {"model", "m"}});
  EXPECT_EQ(identity().digest(), reordered.digest());
  // printf %s '{"api":"tasks","base_url":"https://api.example/base","request":{"model":"m","prompt":"a
  // kite"},"take":0}'
  //   | sha256sum
  EXPECT_EQ(identity().digest(), "076c881a2a4f6d8b41bbb4501ba73afe214d83a978dbc8787316346c0c51498c");
  EXPECT_TRUE(ClipPath::is_digest(identity().digest()));
}

TEST(ClipPath, SlashesAtTheEndOfTheBaseUrlMakeNoOtherClip) {
  ClipIdentity slashes = identity();
  slashes.base_url += "//";
  EXPECT_EQ(identity().digest(), slashes.digest());
}

TEST(ClipPath, AnotherSpellingOfTheBaseUrlMakesNoOtherClip) {
  for (const char *spelling :
       {"HTTPS://api.example/base", "https://API.Example/base", "https://api.example:443/base/"}) {
    ClipIdentity other = identity();
    other.base_url = spelling;
    EXPECT_EQ(identity().digest(), other.digest()) << spelling;
  }
}

TEST(ClipPath, EveryPartOfTheIdentityMakesAnotherClip) {
  std::set<std::string> digests = {identity().digest()};
  ClipIdentity other = identity();
  other.base_url = "https://api.example/other";
  digests.insert(other.digest());
  other = identity();
  other.api = "legacy";
  digests.insert(other.digest());
  other = identity();
  other.take = 1;
  digests.insert(other.digest());
  other = identity();
  other.request.set("seed", 1);
  digests.insert(other.digest());
  EXPECT_EQ(digests.size(), 5u);
}

TEST(ClipPath, KnowsItsOwnNamesAndNoOthers) {
  for (const char *name :
       {"clip.mp4", "clip.png", "task.json", "task.json.tmp", "task.json.spare", "unsent", "clip.part",
        "lock", "use", "pin", "thumbnail.jpg", "thumbnail.jpg.tmp", "clip.xmp", "clip.xmp.tmp"})
    EXPECT_TRUE(ClipPath::is_own_name(name)) << name;
  for (const char *name :
       {"", "clip", "clip.", "clip.mp4.damaged-1", "task.json.damaged-1", "notes.txt", "clip.tar.gz"})
    EXPECT_FALSE(ClipPath::is_own_name(name)) << name;
}

TEST(ClipPath, AClipNameIsNoPath) {
  for (const char *name : {"clip./etc", "clip...", "../clip.mp4", "clip.part", "clip.xmp", "clip.mp4/",
                           "clip.toolongone", "clip.é"})
    EXPECT_FALSE(ClipPath::is_clip_name(name)) << name;
  EXPECT_TRUE(ClipPath::is_clip_name(ClipPath::clip_name("webm")));
}

TEST(ClipPath, KnowsWhatItHasSetAside) {
  for (const std::string name : {"clip.mp4", "task.json", "lock", "use", "clip.part"})
    EXPECT_TRUE(ClipPath::is_aside_name(ClipPath::aside(name, 12))) << name;
  for (const char *name : {"", ".damaged-1", "notes.txt.damaged-1", "clip.mp4.damaged-",
                           "clip.mp4.damaged-1x", "clip.mp4.damaged", "clip.mp4"})
    EXPECT_FALSE(ClipPath::is_aside_name(name)) << name;
}

TEST(ClipPath, ADigestIsSixtyFourSmallHexDigits) {
  const std::string digest(64, 'a');
  EXPECT_TRUE(ClipPath::is_digest(digest));
  EXPECT_FALSE(ClipPath::is_digest(digest + "a"));
  EXPECT_FALSE(ClipPath::is_digest(std::string(64, 'A')));
  EXPECT_FALSE(ClipPath::is_digest(std::string(64, '/')));
  EXPECT_FALSE(ClipPath::is_digest(""));
  EXPECT_TRUE(ClipPath::is_removed(digest + ".removed"));
  EXPECT_FALSE(ClipPath::is_removed(".removed"));
  EXPECT_FALSE(ClipPath::is_removed("a.removed"));
}

TEST(ClipPath, TheStoreIsTheSettingElseTheVariableElseInTheCache) {
  g_setenv("GENCLIP_STORE", "/variable", TRUE);
  EXPECT_EQ(store_root("/setting"), "/setting");
  EXPECT_EQ(store_root(""), "/variable");
  g_setenv("GENCLIP_STORE", "", TRUE);
  EXPECT_EQ(store_root(""), std::string(g_get_user_cache_dir()) + "/genclip");
  g_unsetenv("GENCLIP_STORE");
}

// B8: a run names its files for minutes, and the application may change its folder meanwhile.
TEST(ClipPath, ARelativeStoreIsThatOfTheFolderInWhichItWasRead) {
  const std::string here = std::filesystem::current_path();
  EXPECT_EQ(store_root("stores/mine"), here + "/stores/mine");
  EXPECT_EQ(store_root("../mine"), here + "/../mine") << "what leads out of a link is the system's to say";
  g_setenv("GENCLIP_STORE", "variable", TRUE);
  EXPECT_EQ(store_root(""), here + "/variable");
  g_unsetenv("GENCLIP_STORE");
}

}  // namespace
}  // namespace genclip::test
