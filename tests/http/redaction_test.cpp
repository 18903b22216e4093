// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Redaction of URLs and texts for people and logs.
#include "plugin/http/redaction.h"

#include <glib.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/support/seed.h"

namespace genclip {
namespace {

struct Row {
  const char *input;
  const char *output;
};

TEST(Redaction, KeepsOfAUrlWhatNamesThePlaceOnly) {
  constexpr Row kRows[] = {
      {"https://cdn.example/a/b.mp4", "https://cdn.example/a/b.mp4"},
      {"https://cdn.example/a/b.mp4?sig=SECRET&x=1", "https://cdn.example/a/b.mp4?***"},
      {"https://cdn.example/a#SECRET", "https://cdn.example/a#***"},
      {"https://cdn.example/b.mp4;x=1;sig=SECRET;y", "https://cdn.example/b.mp4;x=1;sig=***;y"},
      {"https://cdn.example/a?SECRET#SECRET", "https://cdn.example/a?***"},
      {"https://user:SECRET@cdn.example:8443/a", "https://***@cdn.example:8443/a"},
      {"https://user:SEC@RET@cdn.example/a", "https://***@cdn.example/a"},
      {"http://[::1]:80/a?SECRET", "http://[::1]:80/a?***"},
      {"user:SECRET@cdn.example/a?SECRET", "***@cdn.example/a?***"},
      {"data:image/png;base64,SECRET", "data:***"},
      {"DATA:SECRET", "DATA:***"},
      {"javascript:SECRET", "javascript:***"},
      {"localhost:8080/v2?SECRET", "localhost:8080/v2?***"},
      {"", ""},
      {"?SECRET", "?***"},
      {"https://", "https://"},
      {"http://host/a\nb\x01"
       "c",
       "http://host/a?b?c"},
      {"http://host/\xff\xfe?SECRET", "http://host/???***"},
      {"http://host/\u009b31m\u202e\u00e9", "http://host/?31m?\u00e9"},
      {"http://user:SECRET@", "http://***@"},
  };
  for (const Row &row : kRows) EXPECT_EQ(redact_url(row.input), row.output) << row.input;
}

TEST(Redaction, KeepsOfAPathNothing) {
  constexpr Row kRows[] = {
      {"https://cdn.example/SECRET/b.mp4?SECRET", "https://cdn.example/***"},
      {"gopher://cdn.example:70/SECRET", "gopher://cdn.example:70/***"},
      {"http://user:SECRET@cdn.example:99999/SECRET", "http://***@cdn.example:99999/***"},
      {"https://cdn.example", "https://cdn.example"},
      {"https://cdn.example?SECRET", "https://cdn.example/***"},
      {"data:SECRET", "data:***"},
      {"/SECRET/b.mp4", "***"},
      {"SECRET", "***"},
      {"localhost:80/SECRET", "***"},
      {"user:SECRET@host/SECRET", "***"},
      {"", "***"},
  };
  for (const Row &row : kRows) EXPECT_EQ(redact_path(row.input), row.output) << row.input;
}

TEST(Redaction, TakesTokensOutOfPaths) {
  EXPECT_EQ(redact_tokens("https://h/hdnts=TOKEN~acl/a=/1.mp4?x=1"), "https://h/hdnts=***/a=***/1.mp4?***");
  EXPECT_EQ(redact_tokens("https://u:p@h/b=c=d"), "https://***@h/b=***");
  EXPECT_EQ(redact_tokens("https://h/1.mp4"), "https://h/1.mp4");
  EXPECT_EQ(redact_settings({}), "");
  EXPECT_EQ(redact_tokens(""), "");
}

TEST(Redaction, TakesTheValuesOfAUrlOutOfTextsHoweverTheyAreEscaped) {
  Secrets secrets("K-1234");
  secrets.add_url("https://h/p?sig=SECRET%2FSECRET+x%3d&n=5&Key=ABCDEFGH;v=a%zz%1%u#t=hashed-value");
  secrets.add_url("https://h/p");
  secrets.add_url("https://h/p?");
  constexpr Row kRows[] = {
      {"SECRET/SECRET x= is wrong", "*** is wrong"},
      {"(SECRET%2FSECRET+x%3D)", "(***)"},
      {"SECRET%2fSECRET%20x%3d", "***"},
      {"SECRET%252FSECRET%252Bx%253D", "***"},
      {"%53ECRET%25252FSECRET%25252Bx=", "***"},
      {"SECRET\\/SECRET\\u002bx\\u003D.", "***."},
      {"ABCDEFGHABCDEFGH-K-1234", "******-***"},
      {"n is 5", "n is 5"},
      {"hashed-value", "hashed-value"},
      {"a%zz%1%u or 100%, 50%25", "*** or 100%, 50%25"},
      {"SECRET%2FSECRE", "SECRET%2FSECRE"},
      {"", ""},
  };
  for (const Row &row : kRows) EXPECT_EQ(redact_text(row.input, secrets), row.output) << row.input;
  EXPECT_EQ(secrets.key(), "K-1234");
  secrets.set_key("K-5678");
  EXPECT_EQ(redact_text("K-1234 or K-5678", secrets), "*** or ***");
}

TEST(Redaction, TakesASecretOutBehindWhatLooksLikeAnEscape) {
  Secrets secrets("deadbeef0123");
  secrets.add_url("https://h/p?sig=cafe9876&x=K-123456%25");
  constexpr Row kRows[] = {
      {"LIKE '%deadbeef0123%'", "LIKE '%***%'"},
      {"%cafe9876%", "%***%"},
      {"\\udeadbeef0123", "\\u***"},
      {"K-123456%41", "***41"},
      {"%25deadbeef0123", "%25***"},
      {"&#100;eadbeef0123 &#x64;eadbeef0123 &#x;eadbeef0123", "*** *** &#x;eadbeef0123"},
      {"%2564%65adbeef0123", "***"},
  };
  for (const Row &row : kRows) EXPECT_EQ(redact_text(row.input, secrets), row.output) << row.input;
}

TEST(Redaction, TakesOutOfAUrlWhatMayBeSecret) {
  Secrets secrets;
  secrets.add_url(
      "http://ann:pass-word@h/p?type=image%2Fpng&field=reference_images&state=completed&short=abc1234"
      "&token=wordword&blob=a-b-c-d1&next=https%3A%2F%2Fcdn%2Fv%3FX-Amz-Signature%3Dinner-sig-1");
  constexpr Row kRows[] = {
      {"field reference_images must be image/png, completed, abc1234",
       "field reference_images must be image/png, completed, abc1234"},
      {"wordword pass-word a-b-c-d1 inner-sig-1", "*** *** *** ***"},
      {"ann at h/p", "ann at h/p"},
  };
  for (const Row &row : kRows) EXPECT_EQ(redact_text(row.input, secrets), row.output) << row.input;
  EXPECT_EQ(secrets.keys().masked("a-b-c-d1"), "a-b-c-d1");
  secrets.set_key("the-key");
  EXPECT_EQ(secrets.keys().masked("the-key"), "***");
  EXPECT_EQ(secrets.keys().key(), "the-key");
  EXPECT_EQ(Secrets("+").masked("a b+c"), "a b***c");
}

TEST(Redaction, TakesNoLongerForEndlessUrls) {
  Secrets secrets("key");
  std::string url = "https://h/p?";
  for (int i = 0; i < 200'000; ++i) url += "n" + std::to_string(i) + "=VALUE" + std::to_string(i) + "&";
  secrets.add_url(url);
  secrets.add_url(url);
  EXPECT_EQ(secrets.masked("VALUE100 key"), "*** ***");
}

TEST(Redaction, TakesTheSignatureOutBehindManyReferences) {
  Secrets secrets;
  const auto signed_url = [](int n) {
    const std::string id = std::to_string(1000 + n);
    return "https://b/" + id + "?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIA" + id +
           "%2F20261128%2Fus-east-1&X-Amz-Date=20261128T00" + id + "Z&X-Amz-Security-Token=T%2B" + id +
           "abcdefgh&X-Amz-Signature=5f" + id + "aabbccdd&versionId=V." + id + "ijkl&etag=E" + id +
           "mnopqr&user=U" + id + "stuvwx&trace=W" + id + "yzabcd&x-id=I" + id + "efghij";
  };
  for (int times = 0; times < 2; ++times)  // As own URLs come.
    for (int n = 0; n < 50; ++n) secrets.add_url(signed_url(n));
  secrets.add_url("https://cdn/clip.mp4?sig=R3SULTSIG");
  EXPECT_EQ(secrets.masked("bad signature R3SULTSIG of 5f1049aabbccdd"), "bad signature *** of ***");
}

TEST(Redaction, TakesNoLongerForLongValuesThatDifferAtTheirEnds) {
  Secrets secrets, hostile;
  const std::string start(8000, 'a');
  std::string policy;
  for (int n = 1000; n < 3000; ++n) policy += std::to_string(n);
  for (int n = 0; n < 250; ++n) {
    secrets.add_url("https://h/p?sig=" + policy + std::to_string(n) + "b");
    hostile.add_url("https://h/p?sig=" + start + std::to_string(n) + "b");
  }
  EXPECT_EQ(secrets.masked("bad " + policy + "17b, see the manual"), "bad ***, see the manual");
  const gint64 begin = g_get_monotonic_time();
  EXPECT_EQ(hostile.masked(std::string(60'000, 'a')), "***");
  EXPECT_LT(g_get_monotonic_time() - begin, 60 * G_USEC_PER_SEC) << "it took longer than two timeouts";
}

TEST(Redaction, KeepsWordsThatStandInATitleToo) {
  Secrets secrets;
  secrets.add_url(
      "https://h/a.png?title=Red+Kite+Photo&name=The%20Blue%20Kite%202&alt=Evening-Light&t=aB3dE6gH");
  for (const char *text : {"The red kite photo shows a person: moderation refused it",
                           "the blue kite 2, redkitephoto, evening-light, evening light"})
    EXPECT_EQ(secrets.masked(text), text);
  EXPECT_EQ(secrets.masked("Red+Kite+Photo Red%20Kite%20Photo Evening-Light AB3DE6GH"), "*** *** *** ***");
  // Under the name of a secret it is one.
  secrets.add_url("https://h/a.png?token=Evening-Light");
  EXPECT_EQ(secrets.masked("evening-light"), "***");
}

// L1
TEST(Redaction, TakesTheQueryOutOfAUrlThatIsEscapedAsAWhole) {
  constexpr Row kRows[] = {
      {"cannot read https%3A%2F%2Fh%2Fclip.mp4%3Fsig%3DSECRET%26x%3D1 now",
       "cannot read https://h/clip.mp4?*** now"},
      {"https%3a%2f%2fu%3aSECRET%40h%2fclip.mp4", "https://***@h/clip.mp4"},
      {"url=https%253A%252F%252Fh%252Fp%253FSECRET", "url=https://h/p?***"},
      {"https%3A//h/p%3FSECRET", "https://h/p?***"},
      {"https:%2F%2Fh%2Fp%23SECRET", "https://h/p#***"},
      {"https://h/p%3Fzzz%3DSECRET", "https://h/p?***"},
      {"https://h/a%20b.mp4?sig=SECRET", "https://h/a%20b.mp4?***"},
      {"url:https%3A%2F%2Fh%2Fclip.mp4", "url:https%3A%2F%2Fh%2Fclip.mp4"},
      {"https%3A%2F%2Fa%2Fb%20https%3A%2F%2Fu%3ASECRET%40h%2Fc", "https://a/b https://***@h/c"},
      {"sig%3DSECRET", "sig=***"},
      {"v.mp4%3FX-Amz-Signature%3DSECRET", "v.mp4?***"},
      {"https:\\u002f\\u002fh/p\\u003fSECRET", "https://h/p?***"},
      {"100%25 of 5%3F", "100%25 of 5%3F"},
      {"/files/a%20b.mp4", "/files/a%20b.mp4"},
  };
  for (const Row &row : kRows) EXPECT_EQ(redact_text(row.input, ""), row.output) << row.input;
  EXPECT_EQ(
      redact_tokens("http://h/m/proxy/https%3A%2F%2Fu%3ASECRET%40cdn%2Fb.mp4%3FX-Amz-Signature%3DSECRET"),
      "http://h/m/proxy/https://***@cdn/b.mp4?***");
  EXPECT_EQ(redact_url("https://h/x.png%3FX-Amz-Signature%3DSECRET"), "https://h/x.png?***");
}

TEST(Redaction, TakesKeysAndSignaturesOutOfTexts) {
  constexpr Row kRows[] = {
      {"Nothing to hide.", "Nothing to hide."},
      {"Really? Yes.", "Really? Yes."},
      {"bad key K-1234 here, K-1234!", "bad key *** here, ***!"},
      {"Authorization: Bearer abc.def", "Authorization: Bearer ***"},
      {"missing bearer token: sk-secret", "missing bearer token: ***"},
      {"{\"h\":\"bearer  abc\",\"x\":1}", "{\"h\":\"bearer  ***\",\"x\":1}"},
      {"get https://h/p?sig=SECRET&a=b now", "get https://h/p?*** now"},
      {"\"url\":\"https:\\/\\/h\\/p?sig=SECRET\",\"n\":1", "\"url\":\"https:\\/\\/h\\/p?***\",\"n\":1"},
      {"see <https://u:SECRET@h/p>", "see <https://***@h/p>"},
      {"https://h/p#SECRET", "https://h/p#***"},
      {"path/file.mp4?Signature=SECRET", "path/file.mp4?***"},
      {"refused: clip.mp4;sig=SECRET;x=1", "refused: clip.mp4;sig=***;x=1"},
      {"X-Amz-Signature=SECRET&Expires=1, really", "X-Amz-Signature=***&Expires=1, really"},
      {"a token=SECRET, key=, monkeys=3", "a token=***, key=, monkeys=3"},
      {"X-Amz-Credential=SECRET; secret=SECRET, password=SECRET",
       "X-Amz-Credential=***; secret=***, password=***"},
      {"two\nhttps://h?SECRET\nlines", "two\nhttps://h?***\nlines"},
      {"AWS_SECRET_ACCESS_KEY SECRET here", "AWS_SECRET_ACCESS_KEY *** here"},
      {"curl --token SECRET x", "curl --token *** x"},
      {"password is hunter2secret", "password is ***"},
      {"token: abc12345, key = abc12345", "token: *** key = ***"},
      {"Your API key is invalid", "Your API key is invalid"},
      {"The token expired 2 days ago", "The token expired 2 days ago"},
  };
  for (const Row &row : kRows) EXPECT_EQ(redact_text(row.input, "K-1234"), row.output) << row.input;
}

TEST(Redaction, TakesAKeyOutHoweverItIsEscaped) {
  for (const char *text :
       {"the key K/1+2= is bad", "the key K%2F1%2B2%3D is bad", "the key K%2f1%2b2%3d is bad"})
    EXPECT_EQ(redact_text(text, "K/1+2="), "the key *** is bad") << text;
}

// L2, and how services echo a key.
TEST(Redaction, TakesALongSecretOutInEachSpelling) {
  const Secrets key("K3ySecretVal/ue+Qx9==");
  constexpr Row kRows[] = {
      {"bad k3YsECRETvAL/UE+qX9== !", "bad *** !"},
      {"bad K3ySecre\ntVal/ue+Qx9== !", "bad *** !"},
      {"bad K3ySecre\\r\\ntVal/ue+Qx9== !", "bad *** !"},
      {"bad K3ySecretVal\\\\u002fue\\\\u002bQx9== !", "bad *** !"},
      {"bad K 3 y S e c r e t V a l / u e + Q x 9 = = !", "bad *** !"},
      {"bad 4b337953656372657456616c2f75652b5178393d3d !", "bad *** !"},
      {"bad 4B337953656372657456616C2F75652B5178393D3D !", "bad *** !"},
      {"bad %u004b%u0033%u0079SecretVal%u002fue+Qx9== !", "bad *** !"},
      {"bad \\x4b\\x33\\x79SecretVal\\x2fue+Qx9== !", "bad *** !"},
      {"SzN5U2VjcmV0VmFsL3VlK1F4OT09", "***"},           // The key alone.
      {"eDpLM3lTZWNyZXRWYWwvdWUrUXg5PT0=", "eDp***0="},  // Behind "x:".
      {"OkszeVNlY3JldFZhbC91ZStReDk9PQ==", "Ok***Q=="},  // Behind ":".
      {"SzN5U2Vj\ncmV0VmFsL3VlK1F4OT09", "***"},
      {"SzN5U2VjcmV0VmFsL3VlK1F4OT0%39", "***"},
      {"bad K3ySecretVal !", "bad K3ySecretVal !"},
      {"", ""},
  };
  for (const Row &row : kRows) EXPECT_EQ(key.masked(row.input), row.output) << row.input;
  for (const char *alphabet : {"Sz8-Sj8-TD8-", "Sz8+Sj8+TD8+"})
    EXPECT_EQ(Secrets("K?>J?>L?>").masked(alphabet), "***") << alphabet;
  Secrets url;
  url.add_url("https://h/p?sig=S3CRETSIG%2Fab");
  EXPECT_EQ(url.masked("s3cretsig/AB 533343524554534947 UzNDUkVUU0lH2"),
            "*** 533343524554534947 UzNDUkVUU0lH2");
  EXPECT_EQ(url.masked("533343524554534947 2f6162 and UzNDUkVUU0lHL2Fi"), "*** and ***");
  EXPECT_EQ(Secrets("a-key").masked("A-Key a key a-key"), "A-Key a key ***") << "a short one is a word";
}

TEST(Redaction, TakesTheSecretsOfAnEnvironmentOut) {
  const std::string variables[] = {"AWS_SECRET_ACCESS_KEY=Zq9x/T7",
                                   "RCLONE_CONFIG_PASS=open=sesame",
                                   "PGPASSWORD=letmein",
                                   "PUBLISH_TOKEN=short",
                                   "STORAGE_PASSWORD=my dog 12",
                                   "PWD=/home/ann",
                                   "OLDPWD=/home/bob",
                                   "HOME=/home/ann",
                                   "MY_PRIVATE_KEY=-----BEGIN\nMIIEvQ9\nabc\n",
                                   "AN_API_KEY=",
                                   "NO_SIGN_TOKEN"};
  Secrets secrets;
  secrets.add_environment(variables);
  EXPECT_EQ(
      secrets.masked("bad Zq9x/T7, open=sesame, letmein (short) of /home/ann or /home/bob: MIIEvQ9 abc"),
      "bad ***, ***, *** (short) of /home/ann or /home/bob: *** abc");
  EXPECT_EQ(secrets.keys().masked("letmein"), "***");
  EXPECT_EQ(secrets.masked("bad (my dog 12) bXkgZG9nIDEy, my%20dog%2012"), "bad (***) ***, ***");
}

// L2
TEST(Redaction, TakesTheValuesOfSettingsOutOfWhatAProgramPrints) {
  constexpr Row kRows[] = {
      {"passwd: SECRET", "passwd: ***"},
      {"pwd: SECRET", "pwd: ***"},
      {"pass: SECRET", "pass: ***"},
      {"MY_STORAGE_PW: SECRET", "MY_STORAGE_PW: ***"},
      {"Passphrase: SECRET", "Passphrase: ***"},
      {"x-auth: SECRET", "x-auth: ***"},
      {"401 for Basic Zq9xSECRET, no such bucket", "401 for Basic ***, no such bucket"},
      {"Basic usage: see the manual", "Basic usage: see the manual"},
      {"Cookie: session=SECRET; b=SECRET, no", "Cookie: ***"},
      {"Set-Cookie=a=SECRET; b=SECRET", "Set-Cookie=***"},
      {"secret_key -> SECRET", "secret_key -> ***"},
      {"secret_key=>SECRET", "secret_key=>***"},
      {"PASSWORD := SECRET", "PASSWORD := ***"},
      {"PASSWORD:=SECRET, no", "PASSWORD:=***, no"},
      {"PASSWORD\u00a0: SECRET", "PASSWORD\u00a0: ***"},
      {"PASSWORD:\u2009SECRET", "PASSWORD:\u2009***"},
      {"SECRET: a SECRET, no such bucket", "SECRET: ***, no such bucket"},
      {"token=SECRET no such bucket", "token=*** no such bucket"},
      {"private_key=-----BEGIN SECRET", "private_key=***"},
      {"mysql -pZq9SECRET h", "mysql -p*** h"},
      {"sshpass -p Zq9SECRET h", "sshpass -p *** h"},
      {"ffmpeg -pix_fmt yuv420p -preset fast, ssh -p 2222",
       "ffmpeg -pix_fmt yuv420p -preset fast, ssh -p 2222"},
      {"curl -u ann:SECRET https://h/p", "curl -u ann:*** https://h/p"},
      {"Password: correct horse battery, no", "Password: ***, no"},
      {"secret_access_key = Zq9xSECRET is wrong", "secret_access_key = ***"},
      {"token: abc.def-ghi is wrong", "token: ***"},
      {"token: the one is Zq9xSECRET", "token: ***"},
      {"the key: letmein", "the key: ***"},
      {"token: 'a b' is wrong", "token: *** is wrong"},
      {"key: letmein; no such bucket", "key: ***; no such bucket"},
      {"dbPass: SECRET, DBPASS: SECRET, db_pass: SECRET, 1pw: SECRET",
       "dbPass: ***, DBPASS: ***, db_pass: ***, 1pw: ***"},
      {"dbAuth: SECRET, DBAUTH: SECRET", "dbAuth: ***, DBAUTH: ***"},
      {"smtppass: correcthorse battery", "smtppass: ***"},
      {"pass: correct horse, smtppwd: correct horse, ftppw = correct horse",
       "pass: ***, smtppwd: ***, ftppw = ***"},
      {"smtppass:letmein, firewallpass: letmein", "smtppass:***, firewallpass: ***"},
      {"api token: correcthorsebattery rejected by host", "api token: ***"},
      {"client secret: correcthorse expired yesterday", "client secret: ***"},
      {"api token: password rejected by host", "api token: ***"},
      // Reasons.
      {"error: oauth: token expired", "error: oauth: token expired"},
      {"oauth: invalid_grant", "oauth: invalid_grant"},
      {"bypass: off, compass: north", "bypass: off, compass: north"},
      {"cacheBypass: off, COMPASS: north, highpass: no such filter",
       "cacheBypass: off, COMPASS: north, highpass: no such filter"},
      {"api key: invalid or expired, auth: authentication failed",
       "api key: invalid or expired, auth: authentication failed"},
      {"could not read key: permission denied", "could not read key: permission denied"},
      {"could not read key: Permission denied (os error 13)",
       "could not read key: Permission denied (os error 13)"},
      {"token: *** has expired", "token: *** has expired"},
      {"token: 401 Unauthorized", "token: 401 Unauthorized"},
      {"403 Forbidden: no such bucket", "403 Forbidden: no such bucket"},
      {"", ""},
  };
  for (const Row &row : kRows) EXPECT_EQ(redact_settings(row.input), row.output) << row.input;
}

TEST(Redaction, SurvivesAnyBytesAndNeverLetsASecretThrough) {
  const unsigned seed = test::test_seed();
  std::mt19937 random(seed);
  constexpr std::string_view kPieces[] = {"https://", "?",  "#",       "@",    ":",      "/", "\\/",
                                          " ",        "\"", "Bearer ", "\xff", "\n",     "é", "%",
                                          "=",        "&",  "a",       ".",    ":\\/\\/"};
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (auto i = random() % 12; i > 0; --i) text += kPieces[random() % std::size(kPieces)];
    const std::string url = redact_url("https://h/" + text + "?q=SECRET" + text);
    EXPECT_EQ(url.find("SECRET"), url.npos) << "seed " << seed << ": " << text;
    EXPECT_TRUE(g_utf8_validate(url.c_str(), -1, nullptr)) << "seed " << seed << ": " << text;
    const std::string said = redact_text(text + "SECRET" + text + " https://h/p?q=MARKED" + text, "SECRET");
    EXPECT_EQ(said.find("SECRET"), said.npos) << "seed " << seed << ": " << text;
    EXPECT_EQ(said.find("MARKED"), said.npos) << "seed " << seed << ": " << text;
  }
}

}  // namespace
}  // namespace genclip
