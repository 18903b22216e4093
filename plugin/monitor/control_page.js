// SPDX-License-Identifier: LGPL-2.1-or-later
"use strict";
// Fetches the status every two seconds and shows it. All that comes from the channel is written as text.
const element = (id) => document.getElementById(id);
let token = ""; // In memory only: gone with the page.
let held = false;
let pending = null; // The action that waits for the token.

function write(id, text) { element(id).textContent = text; }

function clock(text) {
  const time = new Date(text);
  return isNaN(time) ? "–" : time.toLocaleTimeString([], {hour12: false});
}

function span(seconds) {
  if (typeof seconds !== "number" || !isFinite(seconds)) return "–";
  const whole = Math.max(0, Math.round(seconds));
  const two = (number) => String(number).padStart(2, "0");
  const hours = Math.floor(whole / 3600);
  return (hours ? hours + ":" : "") + two(Math.floor(whole / 60) % 60) + ":" + two(whole % 60);
}

function bytes(count) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (count >= 1000 && unit < units.length - 1) { count /= 1000; unit += 1; }
  return (unit ? count.toFixed(1) : count) + "\u00a0" + units[unit];
}

// One row of cells; a cell is a text, or {text, wrong}.
function row(cells) {
  const line = document.createElement("tr");
  for (const cell of cells) {
    const data = document.createElement("td");
    data.textContent = cell.text === undefined ? cell : cell.text;
    if (cell.wrong) data.className = "wrong";
    line.append(data);
  }
  return line;
}

function name_of(piece) {
  if (!piece) return "–";
  return piece.title || piece.id || (piece.kind === "slate" ? "The slate" : "–");
}

function show_now(status) {
  const now = status.now;
  write("now-title", name_of(now));
  write("now-kind", now ? now.kind : "");
  element("now-kind").className = "tag " + (now && now.kind !== "clip" ? "fallback" : "");
  const length = now ? now.duration_frames / status.frames_per_second : 0;
  const shown = now ? (Date.parse(status.at) - Date.parse(now.since)) / 1000 : 0;
  element("now-progress").value = length > 0 ? Math.min(1, Math.max(0, shown / length)) : 0;
  write("now-time", now ? span(shown) + " of " + span(length) + ", since " + clock(now.since) : "");
  const fallback = status.fallback;
  element("fallback").hidden = !fallback;
  if (fallback)
    write("fallback", "Fallback since " + clock(fallback.since) + (fallback.for ? ", for " + fallback.for : "") +
      (fallback.reason ? ": " + fallback.reason : ""));
  write("next-title", name_of(status.next));
}

function show_counts(status) {
  const budget = status.budget;
  const counts = [
    ["Aired", status.aired], ["Fallbacks", status.fallbacks], ["Slates", status.slates],
    ["Frames", status.frames], ["Late", status.late], ["Dropped", status.dropped],
    ["Skipped", status.skipped],
    ["Spent by this run", Number(status.spent.toFixed(2)) + " credits"],
    ["Budget", !budget ? "none" : !budget.unit ? "–" : Number(budget.spent.toFixed(2)) + " + " +
      Number(budget.reserved.toFixed(2)) + " reserved of " + Number(budget.limit.toFixed(2)) + " " + budget.unit],
    ["Running for", span(status.uptime)]];
  if (budget && budget.text) counts.push(["Budget says", budget.text]);
  element("counts").replaceChildren(...counts.flatMap(([term, value]) => {
    const box = document.createElement("div");
    const title = document.createElement("dt");
    const data = document.createElement("dd");
    title.textContent = term;
    data.textContent = value;
    box.append(title, data);
    return [box];
  }));
}

function show(status) {
  write("channel", status.channel || "genclip channel");
  document.title = name_of(status.now) + " – " + (status.channel || "genclip channel");
  element("alarms").hidden = status.alarms.length === 0;
  element("alarm-list").replaceChildren(...status.alarms.map((alarm) => {
    const item = document.createElement("li");
    item.textContent = alarm.text + " (since " + clock(alarm.since) + ")";
    return item;
  }));
  show_now(status);
  element("ahead").replaceChildren(...status.ahead.map((item) => row([clock(item.start), span(item.duration), name_of(item),
    {text: item.state + (item.reason ? ": " + item.reason : ""), wrong: Boolean(item.reason)}])));
  element("outputs").replaceChildren(...status.outputs.map((output) => row([output.name,
    {text: output.state + (output.error && output.state !== "running" ? ": " + output.error : ""), wrong: output.state !== "running"},
    output.rebuilds, bytes(output.bytes)])));
  const rundown = status.rundown;
  write("rundown", rundown.items + " items in the rundown." + (rundown.accepted ? "" : " The newest one was refused" +
    (rundown.line ? ", line " + rundown.line : "") + (rundown.text ? ": " + rundown.text : ".")));
  show_counts(status);
  held = status.hold;
  write("hold", held ? "End hold" : "Hold fallback");
}

async function refresh() {
  const contact = element("contact");
  try {
    const answer = await fetch("/status", {cache: "no-store", signal: AbortSignal.timeout(5000)});
    if (!answer.ok) throw new Error("HTTP " + answer.status);
    const status = await answer.json();
    show(status);
    contact.textContent = "As of " + clock(status.at);
    contact.className = "";
  } catch (error) {
    contact.textContent = "No answer: " + error.message;
    contact.className = "lost";
  }
}

async function act(name, body) {
  if (!token) {
    pending = () => act(name, body);
    element("token-form").hidden = false;
    element("token").focus();
    return;
  }
  write("answer", "…");
  try {
    const answer = await fetch("/" + name, {method: "POST", body: body ? JSON.stringify(body) : "",
      headers: {"Authorization": "Bearer " + token}, signal: AbortSignal.timeout(5000)});
    const said = await answer.json();
    if (answer.status === 401) token = "";
    write("answer", answer.ok ? "Done: " + said.done + "." : said.error);
  } catch (error) {
    write("answer", "No answer: " + error.message);
  }
  refresh();
}

element("skip").addEventListener("click", () => act("skip"));
element("reload").addEventListener("click", () => act("reload"));
element("hold").addEventListener("click", () => act("hold", {on: !held}));
element("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  token = element("token").value.trim();
  element("token").value = "";
  element("token-form").hidden = true;
  if (token && pending) pending();
  pending = null;
});

async function watch() {
  await refresh();
  setTimeout(watch, 2000);
}
watch();
