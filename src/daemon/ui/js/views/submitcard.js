// The card that submits what a form asks for as a job, and shows what the daemon refuses at the field that it is about.

import { newKey, post } from "../api.js";
import { button, h, say, toast } from "../dom.js";
import { t } from "../language.js";
import { learn } from "../live.js";
import { refusal } from "./fields.js";

/**
 * `request()` gives the body of the request and the fields that hold nonsense, each with what is wrong; `refused(message)` the field that a
 * message of the daemon is about, if it is about one; `complain(field, text)` shows what is wrong. The card has `submit()`, and `tell(command)`
 * for the same in a terminal.
 */
export function submitCard({ request, refused, complain }) {
  const trouble = h("div", { class: "note bad", role: "alert", hidden: true });
  const [preview, send] = [h("code", { class: "preview" }), button(t`Submit the job`, { kind: "main", type: "submit", glyph: "hunt" })];
  const card = h("section", { class: "card stack", "aria-label": t`Submit` }, trouble, send, h("details", {}, h("summary", { class: "small" }, t`The same in a terminal`), preview));
  let key = newKey();
  card.tell = (command) => say(preview, command);
  card.submit = async () => {
    trouble.hidden = true;
    const { body, bad } = request();
    if (bad.length) {
      bad.toReversed().forEach(([one, text]) => complain(one, text));
      return;
    }
    send.disabled = true;
    try {
      const job = await post("/jobs", body, { "idempotency-key": key });
      key = newKey();
      learn(job);
      toast(t`Job ${job.id} was submitted.`);
      location.hash = `#/jobs/${job.id}`;
    } catch (problem) {
      // After an answer the same form is another request; without one it may have arrived, and must not make a second job.
      if (!problem.unreachable) key = newKey();
      const { text } = refusal(problem.message);
      const one = refused(problem.message);
      if (one) complain(one, text);
      say(trouble, one ? t`The job was not submitted: see \u201c${one.spec.label}\u201d.` : text);
      trouble.hidden = false;
    }
    send.disabled = false;
  };
  return card;
}
