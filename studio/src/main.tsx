// Starts the page: takes the token out of the address, asks what the studio holds, and shows it.
import { render } from "preact";
import { edited, studio } from "./api/client";
import { asRefusal } from "./api/useAnswer";
import type { EditView, Studio } from "./api/types";
import { App } from "./App";
import { begun, here, type History } from "./session/history";
import { kept } from "./session/keep";
import "./style/index.css";
import { shown } from "./text/shown";
import { Trouble } from "./ui/Trouble";

const root = document.getElementById("studio") as HTMLElement;
root.replaceChildren();

void start();

async function start() {
  history.replaceState(null, "", location.pathname);
  const page = await opened().catch((error: unknown) => (
    <main class="stopped">
      <Trouble refusal={asRefusal(error)} />
    </main>
  ));
  render(page, root);
}

async function opened() {
  const known = await studio();
  const [first, restored] = await begin(known);
  document.title = `${shown(known.target)} · samrule studio`;
  return <App studio={known} first={first} restored={restored} />;
}

/** The list as this tab left it, or as it was learned. */
async function begin(known: Studio): Promise<[EditView, History]> {
  const restored = kept(known);
  if (restored) {
    try {
      return [await edited(here(restored).steps), restored];
    } catch {
      // Steps of another list: begin anew.
    }
  }
  const first = await edited([]);
  return [first, begun(first)];
}
