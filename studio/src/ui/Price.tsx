// A price beside something people can choose: green is better, orange is worse, words say it too.
import { above, tone } from "../text/price";
import { loss, signedPercent } from "../text/numbers";

interface Props {
  loss: number;
  than: number;
}

export function Price({ loss: value, than }: Props) {
  const share = above(value, than);
  const kind = tone(share);
  const words = kind === "same" ? "same loss" : `${kind}; loss ${loss(value)}`;
  return (
    <span class={`price ${kind}`} title={`Loss ${loss(value)}`}>
      {signedPercent(share)}
      <span class="unseen"> {words}</span>
    </span>
  );
}
