// Which rule fires for the row typed in. Values stay text: nothing here becomes markup or code.
"use strict";
(() => {
  const form = document.getElementById("try");
  if (!form) return;
  const model = JSON.parse(document.getElementById("model").textContent);
  const verdict = document.getElementById("verdict");
  const place = new Map(model.fields.map((field, k) => [field.column, k]));

  const WHOLE = /^[+-]?\d+$/;
  const number = (text) => {
    const words = text.trim().toLowerCase();
    if (WHOLE.test(words)) return BigInt(words.replace("+", ""));
    if (/^[+-]?inf(inity)?$/.test(words)) return words.startsWith("-") ? -Infinity : Infinity;
    return words === "" ? NaN : Number(words);
  };
  // Moments with a zone are compared as moments, others as the clock shows them.
  const moment = (text) => {
    const words = text.trim().replace(" ", "T");
    if (/(Z|[+-]\d\d:?\d\d)$/.test(words) && words.includes("T")) return Date.parse(words);
    const [day, clock = ""] = words.split("T");
    if (!/^\d{4,}-\d\d-\d\d$/.test(day)) return NaN;
    return day + "T" + clockTime(clock || "00:00");
  };
  const clockTime = (text) => {
    const [hm, fraction = ""] = text.trim().split(".");
    const full = hm.split(":").length === 2 ? hm + ":00" : hm;
    return full + "." + fraction.padEnd(9, "0");
  };
  const unit = (name) => (text) => {
    const found = /^(\d{4,})-(\d\d)-(\d\d)(?:[T ](\d\d))?/.exec(text.trim());
    if (!found) return NaN;
    const [year, month, day, hour] = found.slice(1).map(Number);
    if (name === "weekday") return new Date(Date.UTC(year, month - 1, day)).getUTCDay() || 7;
    return name === "month" ? month : hour;
  };
  const READ = {
    number, date: moment, datetime: moment, time: clockTime,
    text: (text) => text, boolean: (text) => text,
  };

  const value = (column) => {
    const k = place.get(column);
    if (form.querySelector(`[data-missing="${k}"]`).checked) return null;
    return form.querySelector(`[data-field="${k}"]`).value;
  };
  const holds = (condition) => {
    const text = value(condition.column);
    if (condition.op === "is missing") return text === null;
    if (text === null) return false;
    const read = condition.unit ? unit(condition.unit) : READ[condition.type];
    const left = read(text);
    const rights = condition.values.map(condition.unit ? Number : read);
    if (condition.op === ">=") return left >= rights[0];
    if (condition.op === "within") return left >= rights[0] && left < rights[1];
    if (condition.op === "<") return left < rights[0];
    const among = rights.some((right) => left == right); // a BigInt may meet a Number
    return among === (condition.op === "==" || condition.op === "in");
  };
  const show = () => {
    const fired = model.program.findIndex((rule) => rule.conditions.every(holds));
    document.querySelectorAll("tr[data-rule]").forEach((row, k) => {
      row.classList.toggle("fires", k === fired);
    });
    const rule = model.rules[fired];
    const which = rule.conditions.length ? `Rule ${rule.number}` : "No rule applies: the default";
    const sure = rule.accuracy === null ? "" : `, right in ${(100 * rule.accuracy).toFixed(1)} % of its rows`;
    verdict.textContent = `${which} decides: ${rule.prediction}${sure}.`;
  };
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
})();
