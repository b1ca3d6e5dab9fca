// Starts the page: takes the token out of the address, and shows the studio of its server.
import { showPage } from "./studio";
import "./style/index.css";

const root = document.getElementById("studio") as HTMLElement;
root.replaceChildren();
history.replaceState(null, "", location.pathname);
void showPage(root);
