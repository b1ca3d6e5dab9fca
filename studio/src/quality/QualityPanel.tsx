// How good the list is: by number of rules, on rows held out, and by what errors cost.
import { useStudio } from "../session/context";
import { Confirm } from "./Confirm";
import { CostSlider } from "./CostSlider";
import { Curve } from "./Curve";
import { MetricsTable } from "./MetricsTable";

export function QualityPanel() {
  const { studio } = useStudio();
  return (
    <>
      <h2>How good it is</h2>
      <MetricsTable />
      {studio.has_costs && <CostSlider />}
      <Curve />
      <Confirm />
    </>
  );
}
