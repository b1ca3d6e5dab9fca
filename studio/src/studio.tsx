// The studio, wherever it is shown: asks what it holds, and renders it. Notebooks load this module
// as it is (anywidget); the page begins in main.tsx.
import { render, type ContainerNode } from "preact";
import { clientOver, ClientProvider, type Client } from "./api/client";
import { overHttp } from "./api/http";
import { overMessages, type Messenger } from "./api/messages";
import { asRefusal } from "./api/refusal";
import type { EditView, Studio } from "./api/types";
import { App } from "./App";
import { followTheme } from "./notebook/theme";
import { begun, here, type History } from "./session/history";
import { shelfOfModel, shelfOfTab, type Keeper, type Shelf } from "./session/shelf";
import { shown } from "./text/shown";
import { Trouble } from "./ui/Trouble";

/** Show the studio that the server of this page holds. */
export async function showPage(root: HTMLElement): Promise<void> {
  const studio = await show(root, clientOver(overHttp), shelfOfTab);
  if (studio) document.title = `${shown(studio.target)} · samrule studio`;
}

interface Model extends Messenger, Keeper {
  get(name: "_history" | "_styles"): unknown;
}

/** Show the studio of a notebook's kernel; what is returned takes it away. */
function renderWidget({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const host = document.createElement("div");
  // Keys are the studio's: JupyterLab would cut cells on some of them.
  host.addEventListener("keydown", (event) => event.stopPropagation());
  // Styles neither leave it nor enter it.
  const root = host.attachShadow({ mode: "open" });
  const styles = new CSSStyleSheet();
  styles.replaceSync(String(model.get("_styles")));
  root.adoptedStyleSheets = [styles];
  el.append(host);
  const unfollow = followTheme(host);
  const messages = overMessages(model);
  const waiting = "Waiting for Python … If the kernel was started anew, run the cell again.";
  render(<p class="stopped soft waiting">{waiting}</p>, root);
  void show(root, clientOver(messages.transport), () => shelfOfModel(model));
  return () => {
    render(null, root);
    messages.end();
    unfollow();
  };
}

export default { render: renderWidget };

async function show(
  root: ContainerNode,
  client: Client,
  shelfOf: (studio: Studio) => Shelf,
): Promise<Studio | null> {
  try {
    const studio = await client.studio();
    const shelf = shelfOf(studio);
    const [first, restored] = await begin(client, shelf.kept());
    render(
      <ClientProvider value={client}>
        <App studio={studio} first={first} restored={restored} shelf={shelf} />
      </ClientProvider>,
      root,
    );
    return studio;
  } catch (error) {
    render(
      <main class="stopped">
        <Trouble refusal={asRefusal(error)} />
      </main>,
      root,
    );
    return null;
  }
}

/** The list as it was left, or as it was learned. */
async function begin({ edited }: Client, restored: History | null): Promise<[EditView, History]> {
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
