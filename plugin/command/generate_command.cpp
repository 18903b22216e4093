// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip generate: generates a clip before a pipeline needs it.
#include "plugin/catalog/check_request.h"
#include "plugin/command/clip_delivery.h"
#include "plugin/command/clip_output.h"
#include "plugin/command/known_models.h"
#include "plugin/command/output_pattern.h"
#include "plugin/command/request_report.h"
#include "plugin/command/request_words.h"
#include "plugin/command/setting_options.h"
#include "plugin/generation/clip_plan.h"

namespace genclip {
namespace {

constexpr CommandText kGenerateText{
    "generate", "MODEL [FIELD=VALUE…]",
    "Generates a clip into the store, where genclipsrc finds it, and prints its path.\n"
    "Use it before an editing session or a broadcast. A stored clip is not paid for\n"
    "again.",
    "Give the model and fields as for genclip check, or a genclip:// URI. Ctrl-C\n"
    "leaves the task running at the service; the same command attaches to it later.\n\n"
    "The name of the output may contain {name} (the first words of the prompt),\n"
    "{model}, {take} and {date} (today, in UTC).\n\n"
    "Exit code: 0 the clip is stored, 1 the command failed, 2 usage error,\n"
    "130 stopped by Ctrl-C.\n\n"
    "Examples:\n"
    "  genclip generate sd_2.0_special prompt=\"a red kite over dunes\" -o kite.mp4\n"
    "  genclip generate dance-2.5 prompt=\"a storm\" take=2 -o \"{name}-{take}.mp4\"\n"};

}  // namespace

int run_generate(const Words &words) {
  RunSettings run;
  Delivery delivery;
  bool anew = false;
  CommandOptions options(kGenerateText);
  add_delivery_options(options, delivery);
  add_setting(options, "anew", anew);
  add_settings(options, run, kGenerate);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  delivery.output = output_named(delivery.output);
  if (delivery.json && delivery.output == kStandardOutput)
    return options.refuse("Standard output takes the clip or JSON, not both.");

  if (auto clean = check_for_key(*rest, run); !clean) return report_failure(clean.error(), delivery.json);
  const Catalog::Ptr catalog = known_models();
  const auto read = read_request(*catalog, *rest);
  if (!read) {
    if (const auto *usage = std::get_if<UsageProblem>(&read.error())) return options.refuse(usage->text);
    return report_failure(std::get<Error>(read.error()), delivery.json);
  }
  if (!read->problems.empty()) {
    const auto refused = check_read_request(*catalog, *read, reference_policy(run));
    return report_failure({ErrorKind::settings, problems_text(refused.error())}, delivery.json);
  }
  const ClipRequest &request = read->request;
  delivery.request = request;
  auto output = output_path(delivery.output, output_names(request));
  if (!output) return report_failure(output.error(), delivery);
  delivery.output = std::move(*output);
  run.reuse = !anew;
  auto plan = plan_clip(request, run);
  if (!plan) return report_failure(plan.error(), delivery);
  if (!delivery.output.empty())
    if (auto writable = check_output(delivery.output, catalog->find(plan->job.model).get()); !writable)
      return report_failure(writable.error(), delivery);
  if (!delivery.output.empty() && plan->job.request)
    if (auto spares = check_replaces_no_reference(delivery.output, *plan->job.request); !spares)
      return report_failure(spares.error(), delivery);
  return deliver_clip(std::move(*plan), delivery);
}

}  // namespace genclip
