// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip check: validates a request as the element does, without a key and without the network.
#include <gst/gst.h>

#include "plugin/account/decision.h"
#include "plugin/account/ledger.h"
#include "plugin/base/shell_word.h"
#include "plugin/catalog/check_request.h"
#include "plugin/catalog/clip_uri.h"
#include "plugin/command/account_reading.h"
#include "plugin/command/command_options.h"
#include "plugin/command/console.h"
#include "plugin/command/known_models.h"
#include "plugin/command/portable_request.h"
#include "plugin/command/request_report.h"
#include "plugin/command/request_words.h"
#include "plugin/command/setting_options.h"
#include "plugin/generation/chain_plan.h"
#include "plugin/generation/clip_plan.h"
#include "plugin/store/clip_cost.h"
#include "plugin/task/media_verdict.h"
#include "plugin/task/task_wire.h"

namespace genclip {
namespace {

constexpr CommandText kCheckText{
    "check", "MODEL [FIELD=VALUE…]",
    "Validates a request as genclipsrc does, without sending it: needs no key and no\n"
    "network, and costs nothing. For a valid request, prints what would be sent, the\n"
    "same request as a URI, and what the clip will cost, judged by what such clips\n"
    "have cost in the store.",
    "Use the service's names for fields (aspect_ratio) or the element's\n"
    "(aspect-ratio). Repeat a field to give it several values. take=N asks for\n"
    "another take of the same request; api=tasks or api=legacy chooses one of the\n"
    "service's interfaces. Instead of a model and fields you can give a genclip://\n"
    "URI.\n\n"
    "Where publishing is set up, a reference may be a file or a clip: a genclip://\n"
    "URI, with #last, #first or #t=SECONDS for a frame of it. See genclip models\n"
    "MODEL.\n\n"
    "Exit code: 0 the request is valid, 1 it is not, 2 usage error.\n\n"
    "Examples:\n"
    "  genclip check sd_2.0_special prompt=\"a red kite over dunes\" resolution=1080p\n"
    "  genclip check dance-2.5 prompt=\"a storm\" \\\n"
    "      reference_images=https://media.example/1.png \\\n"
    "      reference_images=https://media.example/2.png\n"
    "  genclip check \"genclip://dance-2.5?prompt=a%20storm\"\n"};

// Stands for the service's address while that is unknown.
constexpr const char *kBaseUrl = "{base_url}";

// A clip inside the request, which is generated before it.
struct InnerClip {
  std::string place;  // first_image, or first_image: first_image
  const MediaReference *reference;
};

// In the order in which they are generated. Borrowed from the request.
void add_inner_clips(const CheckedRequest &checked, const std::string &before,
                     std::vector<InnerClip> &clips) {
  for (const MediaReference &reference : checked.media()) {
    if (!reference.clip) continue;
    const std::string place = before + reference.name;
    add_inner_clips(*reference.clip, place + ": ", clips);
    clips.push_back({place, &reference});
  }
}

Json clips_json(const std::vector<InnerClip> &clips) {
  Json::Array list;
  for (const InnerClip &clip : clips)
    list.push_back(Json::Object{{"place", clip.place},
                                {"part", clip.reference->part.fragment},
                                {"model", clip.reference->clip->model()},
                                {"uri", std::string(uri_of_clip(*clip.reference))}});
  return list;
}

struct Identified {
  CheckedRequest request;            // As it is identified: with files and clips by their content.
  ClipRequest portable;              // What can be given anywhere.
  std::string url;                   // Where it is sent.
  bool is_paid = false;              // A run gets it without paying.
  std::optional<Estimate> estimate;  // By what such clips have cost in the store. Nothing: unknown.
  // Why genclip generate would refuse to pay for it now. Nothing: it would not.
  std::optional<std::string> refusal;
};

Json accepted_json(const CheckedRequest &checked, const Json &body, const std::string &uri,
                   const std::vector<InnerClip> &clips, const Identified &identified) {
  Json::Array warnings(checked.warnings().begin(), checked.warnings().end());
  Json json = Json::Object{{"valid", true},
                           {"model", checked.model()},
                           {"api", to_word(checked.api())},
                           {"take", checked.take()},
                           {"url", identified.url},
                           {"body", body},
                           {"uri", uri},
                           {"ges_uri", escaped_for_ges_launch(uri)},
                           {"estimate", estimate_json(identified.estimate)},
                           {"refused", identified.refusal ? Json(*identified.refusal) : Json()},
                           {"warnings", std::move(warnings)}};
  if (!clips.empty()) json.set("clips", clips_json(clips));
  return json;
}

// The reason alone: nothing was to be sent. Writes nothing, so what became of runs that have died may be
// missing.
std::optional<std::string> refusal_of(const GenerationJob &job, const IdentifiedRequest &identified,
                                      const GenerationServices &services) {
  if (is_paid(job, identified, services)) return std::nullopt;
  Ledger ledger(*services.files, *services.clock, job.store);
  const auto reading = ledger.read_condensed();
  if (!reading) return reading.error().text;
  const auto budget = ledger.budget();
  if (!budget) return budget.error().text;
  const Account &account = reading->account;
  const ToPay paid = to_pay(job, identified, account.prices(), services);
  const auto refusal =
      chain_refusal(paid.estimates, job.max_amount, account, *budget, 0, to_utc(services.clock->wall_now()));
  return refusal ? std::optional(refusal->text.substr(kNothingSent.size())) : std::nullopt;
}

// Reads the files that the request refers to, and checks them as a run would.
// `run`: a dry one.
Result<Identified> identify(const Catalog &catalog, const ClipRequest &request, const RunSettings &run) {
  const auto plan = plan_clip(request, run);
  if (!plan) return plan.error();
  const GenerationServices services;
  const auto identified = identify_request(plan->job, services, false, nullptr);
  if (!identified) return identified.error();
  if (const auto files = check_chain(plan->job, *identified, services, nullptr); !files) return files.error();
  const CheckedRequest &checked = *plan->job.request;
  const std::string &base_url = plan->job.endpoint.base_url;
  return Identified{identified->names.empty() ? checked : checked.with_urls(identified->names),
                    portable_request(catalog, request, checked, *identified),
                    submit_url(base_url.empty() ? kBaseUrl : base_url, checked.api()),
                    is_paid(plan->job, *identified, services),
                    estimate_of(plan->job, *identified, services),
                    refusal_of(plan->job, *identified, services)};
}

// "10 to 14 credits, probably 12, by what 7 such clips have cost"
std::string estimate_text(const std::optional<Estimate> &estimate) {
  if (!estimate) return "unknown, because the store knows no cost of such a clip";
  const std::string range = estimate->low == estimate->high
                                ? cost_text(estimate->likely)
                                : amount_text(estimate->low) + " to " + cost_text(estimate->high) +
                                      ", probably " + amount_text(estimate->likely);
  const std::string_view kind = estimate->basis == "same" ? " such " : " similar ";
  return range + ", by what " + std::to_string(estimate->samples) + std::string(kind) +
         (estimate->samples == 1 ? "clip has cost" : "clips have cost");
}

constexpr const char *kPaid = "nothing, because the store has the clip, or its task, already";

constexpr const char *kOfNames =
    "Its sha256: and genclip: stand for files and clips: a run sends the URLs of\n"
    "their published copies.\n";

constexpr const char *kOfFiles =
    "It has the files by their content: it plays the clip once that is stored. To\n"
    "generate it, run genclip generate with the same words.\n";

// `checked`: the portable request.
void show(const CheckedRequest &checked, const Json &body, const std::string &uri,
          const std::vector<InnerClip> &clips, const Identified &identified, bool has_files) {
  for (const std::string &warning : checked.warnings()) print_error("Warning: " + warning);
  if (!clips.empty()) {
    print(emphasized("Generated before it", stdout) + "\n");
    for (const InnerClip &clip : clips) {
      const std::string &part = clip.reference->part.fragment;
      print(clip.place + (part.empty() ? "" : " (#" + part + ")") + ": " +
            printable(std::string(uri_of_clip(*clip.reference))) + "\n");
    }
    print("\n");
  }
  print(emphasized("Would be sent as POST " + identified.url, stdout) + "\n" + body.to_pretty_text() + "\n" +
        (has_files || !clips.empty() ? kOfNames : "") + "\n");
  print(emphasized("URI", stdout) + "\n" + uri + "\n" + (has_files ? kOfFiles : "") + "\n");
  print(emphasized("URI for ges-launch-1.0", stdout) + "\n" + escaped_for_ges_launch(uri) + "\n\n");
  print(emphasized("In a shell", stdout) + "\ngst-play-1.0 " + shell_word(uri) + "\nges-launch-1.0 +clip " +
        shell_word(escaped_for_ges_launch(uri)) + "\n");
  for (const auto &[program, package] :
       {std::pair("gst-play-1.0", "gstreamer1.0-plugins-base-apps"), {"ges-launch-1.0", "ges1.0-tools"}})
    if (!GStringPtr(g_find_program_in_path(program)))
      print_prose(std::string(program) + " is not installed. On Debian: apt-get install " + package);
  print("\n" + emphasized("Estimate", stdout) + "\n" +
        (identified.is_paid ? kPaid : estimate_text(identified.estimate)) + "\n");
  if (identified.refusal) print_prose("genclip generate would refuse it: " + *identified.refusal);
}

}  // namespace

int run_check(const Words &words) {
  const std::string description = fields_help(*Catalog::built_in()) + "\n" + kCheckText.description;
  CommandText text = kCheckText;
  text.description = description.c_str();
  bool json = false;
  CommandOptions options(text);
  RunSettings run;
  add_setting(options, "json", json);
  add_settings(options, run, kCheck);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();

  if (auto clean = check_for_key(*rest, run); !clean)
    return report_problems({{"", clean.error().text}}, json);
  const Catalog::Ptr catalog = known_models();
  const auto read = read_request(*catalog, *rest);
  if (!read) {
    if (const auto *usage = std::get_if<UsageProblem>(&read.error())) return options.refuse(usage->text);
    return report_problems({{"", std::get<Error>(read.error()).text}}, json);
  }
  const ClipRequest &request = read->request;
  const auto checked = check_read_request(*catalog, *read, reference_policy(run));
  std::vector<Problem> problems = checked ? std::vector<Problem>() : checked.error();
  run.dry_run = true;
  for (Problem &problem : connection_problems(run)) problems.push_back(std::move(problem));
  for (Problem &problem :
       publish_problems(run, !checked || publishes(*checked, reference_policy(run).is_service_public)))
    problems.push_back(std::move(problem));
  if (!problems.empty()) return report_problems(problems, json);

  // Videos and sounds are measured by it.
  if (names_files(*checked)) gst_init(nullptr, nullptr);
  const auto identified = identify(*catalog, request, run);
  if (!identified) return report_problems({{"", identified.error().text}}, json);
  const auto body = Json::parse(submit_body(identified->request));
  if (!body) return report_problems({{"", body.error().text}}, json);
  const std::string uri = clip_uri(*catalog, identified->portable);
  const auto portable = check_request(*catalog, identified->portable, reference_policy(run));
  if (!portable) return report_problems(portable.error(), json);
  std::vector<InnerClip> clips;
  add_inner_clips(*portable, "", clips);
  if (json)
    print(accepted_json(*portable, *body, uri, clips, *identified).to_pretty_text() + "\n");
  else
    show(*portable, *body, uri, clips, *identified, names_files(*checked));
  return kOk;
}

}  // namespace genclip
