"""A page whose EventSource tells the server what it got."""

PAGE = """<!doctype html>
<meta charset="utf-8">
<title>events</title>
<script>
const asked = new URLSearchParams(location.search);
const run = asked.get("run");
const events = [];
let text = "";
let told = 0;
const source = new EventSource(asked.get("path") + "?scenario=" + asked.get("scenario")
  + "&run=" + run);
const take = (event) => {
  events.push({name: event.type, data: event.data});
  // A sentence is over: the app may write the next one.
  if (event.type === "message") text += JSON.parse(event.data).delta?.text ?? "";
  for (; text.split(".").length - 1 > told; told += 1) fetch("/go?run=" + run, {method: "POST"});
};
source.onmessage = take;
for (const name of ["meta", "gatekeeper"]) source.addEventListener(name, take);
source.onerror = () => {
  source.close();
  fetch("/report?run=" + run, {
    method: "POST",
    headers: {"content-type": "application/json"},
    body: JSON.stringify(events),
  });
};
</script>
"""
