// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/store/clip_provenance.h"

#include <glib.h>

#include "plugin/base/durable_file.h"
#include "plugin/base/gref.h"
#include "plugin/base/shown_text.h"

namespace genclip {
namespace {

constexpr const char *kSourceTypes = "http://cv.iptc.org/newscodes/digitalsourcetype/";

// XML 1.0 has no U+FFFE and U+FFFF.
std::string in_xml(const std::string &text) {
  std::string line = shown_line(text);
  for (const char *none : {"\xef\xbf\xbe", "\xef\xbf\xbf"})
    for (size_t at = 0; (at = line.find(none, at)) != line.npos;) line.replace(at, 3, "\ufffd");
  return GStringPtr(g_markup_escape_text(line.data(), static_cast<gssize>(line.size()))).get();
}

std::string time_text(int64_t time) {
  GDateTime *date = g_date_time_new_from_unix_utc(time);
  if (!date) return {};
  const GStringPtr text(g_date_time_format(date, "%Y-%m-%dT%H:%M:%SZ"));
  g_date_time_unref(date);
  return text.get();
}

std::string member(const char *name, const std::string &value) {
  if (value.empty()) return {};
  return std::string("   <") + name + ">" + in_xml(value) + "</" + name + ">\n";
}

}  // namespace

Provenance provenance_of(const ClipRecord &record) {
  Provenance provenance;
  provenance.model = record.model;
  provenance.task_id = record.task_id;
  provenance.media_type = record.media_type;
  provenance.take = record.identity.take;
  provenance.created_at = record.submitted_at > 0 ? record.submitted_at : record.updated_at;
  return provenance;
}

std::string digital_source_type(const Provenance &provenance) {
  return provenance.from_media ? "compositeWithTrainedAlgorithmicMedia" : "trainedAlgorithmicMedia";
}

std::string xmp_of(const Provenance &provenance) {
  return "<?xpacket begin=\"\xef\xbb\xbf\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
         "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\n"
         " <rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\n"
         "  <rdf:Description rdf:about=\"\" xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\"\n"
         "    xmlns:dc=\"http://purl.org/dc/elements/1.1/\"\n"
         "    xmlns:Iptc4xmpExt=\"http://iptc.org/std/Iptc4xmpExt/2008-02-29/\"\n"
         "    xmlns:genclip=\"urn:genclip:xmp:1:\">\n" +
         member("Iptc4xmpExt:DigitalSourceType", kSourceTypes + digital_source_type(provenance)) +
         member("Iptc4xmpExt:AISystemUsed", provenance.model) +
         member("Iptc4xmpExt:AIPromptInformation", provenance.prompt) + member("xmp:CreatorTool", "genclip") +
         (provenance.created_at > 0 ? member("xmp:CreateDate", time_text(provenance.created_at)) : "") +
         member("dc:format", provenance.media_type) + member("genclip:Model", provenance.model) +
         member("genclip:TaskId", provenance.task_id) +
         member("genclip:Take", std::to_string(provenance.take)) +
         "  </rdf:Description>\n </rdf:RDF>\n</x:xmpmeta>\n<?xpacket end=\"w\"?>\n";
}

std::string comment_of(const Provenance &provenance) {
  std::string text = "genclip:" + digital_source_type(provenance);
  if (!provenance.model.empty()) text += "/model:" + provenance.model;
  if (!provenance.task_id.empty()) text += "/task:" + provenance.task_id;
  if (provenance.take > 0) text += "/take:" + std::to_string(provenance.take);
  if (!provenance.prompt.empty()) text += "/prompt:" + provenance.prompt;
  return shown_line(text);
}

Result<void> write_xmp(FileSystem &files, const ClipPath &path, const Provenance &provenance) {
  return write_durably(files, path.provenance(), xmp_of(provenance));
}

}  // namespace genclip
