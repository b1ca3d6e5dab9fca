// The list group by group: whom it selects, how often it errs, and whether its shares hold.
import { useAnswer } from "../api/useAnswer";
import type { Group, Groups, WhichRows } from "../api/types";
import { useStudio } from "../session/context";
import { useKept } from "../session/useKept";
import { count, several } from "../text/numbers";
import { short, shown } from "../text/shown";
import { Choice } from "../ui/Choice";
import { Trouble } from "../ui/Trouble";
import { ShareBar } from "./ShareBar";

export function GroupsPanel() {
  const { studio, view } = useStudio();
  const columns = studio.group_columns;
  const [column, setColumn] = useKept("groups of", columns[0]?.name ?? "");
  const [rows, setRows] = useKept<WhichRows>(
    "rows of groups",
    studio.n_test_rows > 0 ? "test" : "learned",
  );
  const asked = column === "" ? null : { steps: view.steps, column, rows };
  const { data, refusal, isFresh } = useAnswer("groups", asked);
  if (columns.length === 0) return <p class="soft">No column has few enough values for groups.</p>;
  return (
    <>
      <h2>Group by group</h2>
      <div class="row">
        <label class="field">
          <span>Groups of</span>
          <select value={column} onChange={(event) => setColumn(event.currentTarget.value)}>
            {columns.map((one) => (
              <option key={one.name} value={one.name}>
                {short(one.name)}
              </option>
            ))}
          </select>
        </label>
        {studio.n_test_rows > 0 && (
          <Choice
            label="Rows"
            options={[
              { value: "test", label: "held out" },
              { value: "learned", label: "learned from" },
            ]}
            chosen={rows}
            onChoose={(which) => setRows(which)}
          />
        )}
      </div>
      {refusal && <Trouble refusal={refusal} />}
      {data && (
        <div class={isFresh ? "" : "stale"}>
          {data.classes.map((name, place) => (
            <ClassTable key={name} data={data} name={name} place={place} />
          ))}
          <p class="soft">
            Lines show where a share of rows to come lies with 95 % confidence
            {data.rows === "learned"
              ? "; on rows learned from they are too narrow, for the list has seen those rows."
              : "."}
            {view.columns.includes(data.column)
              ? ` The list asks for ${shown(data.column)}.`
              : ` The list does not ask for ${shown(data.column)}.`}
          </p>
        </div>
      )}
    </>
  );
}

interface TableProps {
  data: Groups;
  name: string;
  place: number;
}

function ClassTable({ data, name, place }: TableProps) {
  return (
    <section class="block">
      <h3>
        Predicted <code>{short(name)}</code>
      </h3>
      <Ratio data={data} place={place} />
      <div
        class="scroll"
        tabIndex={0}
        role="region"
        aria-label={`Groups, predicted ${short(name)}`}
      >
        <table class="groups">
          <thead>
            <tr>
              <th scope="col">Group</th>
              <th scope="col" class="number">
                Rows
              </th>
              <th scope="col" title="Share of the group that gets this prediction">
                Selected
              </th>
              <th scope="col" title="Share of the group that is of this class">
                Really so
              </th>
              <th scope="col" title="Of those that are of another class, the share predicted so">
                Wrongly selected
              </th>
              <th
                scope="col"
                title="Of those that are of this class, the share predicted otherwise"
              >
                Missed
              </th>
              <th scope="col">All errors</th>
            </tr>
          </thead>
          <tbody>
            {data.groups.map((group) => {
              const one = group.classes[place];
              return (
                one && (
                  <tr key={group.name}>
                    <th scope="row">{short(group.name, 28)}</th>
                    <td class="number">{count(group.n_rows)}</td>
                    <td>
                      <ShareBar share={one.selected} />
                    </td>
                    <td>
                      <ShareBar share={one.actual} expected={one.expected} />
                    </td>
                    <td>
                      <ShareBar share={one.false_positives} />
                    </td>
                    <td>
                      <ShareBar share={one.false_negatives} />
                    </td>
                    <td>
                      <ShareBar share={group.errors} />
                    </td>
                  </tr>
                )
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** How unevenly the groups are selected, with the two that differ most. */
function Ratio({ data, place }: { data: Groups; place: number }) {
  const ratio = data.selection_ratios[place];
  const order = data.groups
    .map((group) => ({ group, share: group.classes[place]?.selected.value ?? null }))
    .filter((one) => one.share !== null)
    .sort((one, other) => (one.share ?? 0) - (other.share ?? 0));
  const [least, most] = [order[0]?.group, order.at(-1)?.group];
  if (ratio == null || !Number.isFinite(ratio) || !least || !most) return null;
  const named = (group: Group) => `${short(group.name, 28)} (${several(group.n_rows, "row")})`;
  return (
    <p>
      {named(least)} is selected <strong>{ratio.toFixed(2)}</strong> times as often as {named(most)}
      {ratio < 0.8 ? (
        <span class="worse">: below 0.8, which many call a disparity.</span>
      ) : (
        "; below 0.8 many would call it a disparity."
      )}
    </p>
  );
}
