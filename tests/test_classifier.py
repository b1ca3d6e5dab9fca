"""RuleListClassifier keeps scikit-learn's contract, and its own promises."""

import pickle
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import samrule
from samrule import RuleListClassifier
from samrule.errors import SamruleError
from tests.reference.by_weight import by_weight


# Some checks weigh one class so much that always predicting it is right.
@pytest.mark.filterwarnings("ignore::samrule.errors.OneClassWarning")
@parametrize_with_checks(
    [
        RuleListClassifier(),
        RuleListClassifier(max_rules=2, max_terms=2, class_weight="balanced"),
        RuleListClassifier(strategy="exact", n_jobs=1),
        RuleListClassifier(strategy="progressive", epsilon=0.5, random_state=0),
    ]
)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture
def people() -> tuple[pd.DataFrame, pd.Series]:
    """Mixed columns with holes: who is young or lives in Padova and is not insured buys."""
    rng = np.random.default_rng(0)
    n = 2000
    age = rng.integers(18, 80, n).astype(float)
    age[rng.random(n) < 0.1] = np.nan
    city = pd.Series(rng.choice(["Padova", "Roma", "Milano"], n)).astype("category")
    insured = pd.Series(rng.random(n) < 0.5)
    since = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 2000, n), unit="D")
    frame = pd.DataFrame({"age": age, "city": city, "insured": insured, "since": since})
    buys = (age < 30) | ((city == "Padova").to_numpy() & ~insured.to_numpy())
    return frame, pd.Series(np.where(buys, "buys", "passes"))


def test_a_dataframe_is_taken_as_it_is(people: tuple[pd.DataFrame, pd.Series]) -> None:
    frame, label = people
    model = RuleListClassifier().fit(frame, label)
    assert model.score(frame, label) == 1.0
    assert list(model.classes_) == ["buys", "passes"]
    assert list(model.feature_names_in_) == ["age", "city", "insured", "since"]
    assert {one.column for rule in model.rule_list_ for one in rule.conditions} == {
        "age",
        "city",
        "insured",
    }
    assert model.certificate_.holds
    assert model.trace_[0].rows == 2000


def test_any_dataframe_gives_the_same_model(people: tuple[pd.DataFrame, pd.Series]) -> None:
    frame, label = people
    model = RuleListClassifier().fit(frame, label)
    other = RuleListClassifier().fit(pl.from_pandas(frame), label.to_numpy())
    assert other.rule_list_ == model.rule_list_
    assert (other.predict(pl.from_pandas(frame)) == model.predict(frame)).all()


def test_a_column_called_target_is_no_trouble() -> None:
    frame = pd.DataFrame({"target": range(100), "weights": range(100)})
    label = np.arange(100) >= 40
    model = RuleListClassifier().fit(frame, label, sample_weight=np.ones(100))
    assert model.score(frame, label) == 1.0


def test_columns_without_names_of_text_still_explain() -> None:
    frame = pd.DataFrame({0: range(40), 1: range(40)})
    model = RuleListClassifier().fit(frame, np.arange(40) >= 20)
    assert model.explain([30, 30]).prediction is True
    assert "Prediction: True" in str(model.explain(pd.Series({"0": 30, "1": 30})))


def test_explain_wants_one_value_per_column() -> None:
    model = RuleListClassifier().fit(np.arange(40).reshape(20, 2), np.arange(20) >= 10)
    with pytest.raises(SamruleError, match="the row has 1 values; expected 2"):
        model.explain([3])


def test_sparse_and_dense_agree() -> None:
    rng = np.random.default_rng(1)
    dense = (rng.random((500, 20)) < 0.2).astype(np.int8)
    label = dense[:, 3] | dense[:, 7]
    model = RuleListClassifier().fit(dense, label)
    other = RuleListClassifier().fit(sparse.csr_array(dense), label)
    assert other.rule_list_ == model.rule_list_
    assert (other.predict(sparse.csr_array(dense)) == label).all()


@pytest.mark.parametrize(
    "labels",
    [
        np.array([0, 1, 2]),
        np.array([-1.0, 0.0, 1.0]),
        np.array(["a", "b", "c"]),
        np.array(["a", "b", "c"], dtype=object),
        np.array([10**12, 10**13, 3]),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_labels_come_back_as_they_were(labels: Any) -> None:
    table = np.repeat(np.arange(30), 10).reshape(-1, 1)
    y = labels[table[:, 0] // 10]
    model = RuleListClassifier().fit(table, y)
    assert model.classes_.dtype == labels.dtype
    predicted = model.predict(table)
    assert predicted.dtype == labels.dtype
    assert (predicted == y).all()
    assert (
        model.predict_proba(table).argmax(axis=1).tolist()
        == np.unique(y, return_inverse=True)[1].tolist()
    )


def test_apply_names_the_rule_that_decides_and_probabilities_follow_it(
    people: tuple[pd.DataFrame, pd.Series],
) -> None:
    frame, label = people
    noisy = label.where(np.random.default_rng(2).random(len(label)) > 0.1, "passes")
    model = RuleListClassifier().fit(frame, noisy)
    decided = model.apply(frame)
    rules = list(model.rule_list_)
    assert decided.max() == len(rules) - 1
    for number, rule in enumerate(rules):
        rows = decided == number
        assert rows.sum() == rule.support
        shares = [((noisy[rows] == one).sum() + 1) / (rows.sum() + 2) for one in model.classes_]
        assert np.allclose(model.predict_proba(frame)[rows], shares)


def test_weights_of_two_are_rows_twice_and_of_zero_are_none() -> None:
    rng = np.random.default_rng(3)
    table = rng.integers(0, 20, (300, 4))
    label = (table[:, 0] > 9) ^ (rng.random(300) < 0.2)
    weight = rng.integers(0, 3, 300)
    weighed = RuleListClassifier(strategy="exact").fit(table, label, sample_weight=weight)
    rows = np.repeat(np.arange(300), weight)
    by_rows = RuleListClassifier(strategy="exact").fit(table[rows], label[rows])
    assert by_weight(weighed.rule_list_) == by_rows.rule_list_
    assert weighed.certificate_.upper_bound == pytest.approx(by_rows.certificate_.upper_bound)


def test_balanced_classes_find_what_is_rare() -> None:
    rng = np.random.default_rng(4)
    table = rng.integers(0, 100, (4000, 3))
    rare = (table[:, 0] >= 90) & (rng.random(4000) < 0.3)
    plain = RuleListClassifier().fit(table, rare)
    balanced = RuleListClassifier(class_weight="balanced").fit(table, rare)
    assert plain.predict(table).mean() < 0.02
    assert (balanced.predict(table) == (table[:, 0] >= 90)).mean() > 0.97
    given = RuleListClassifier(class_weight={True: (~rare).sum(), False: rare.sum()})
    assert (given.fit(table, rare).predict(table) == balanced.predict(table)).all()


def test_class_weights_find_a_rare_class_and_leave_its_probability_alone() -> None:
    rng = np.random.default_rng(4)
    table = rng.integers(0, 100, (4000, 3))
    rare = (table[:, 0] >= 90) & (rng.random(4000) < 0.3)
    weight = rng.integers(1, 4, 4000)
    for model, counted in (
        (RuleListClassifier(class_weight="balanced").fit(table, rare), np.ones(4000)),
        (RuleListClassifier(class_weight={True: 7.5}).fit(table, rare, weight), weight),
    ):
        decided, shares = model.apply(table), model.predict_proba(table)
        for number in np.unique(decided):
            rows = decided == number
            share = ((rare * counted)[rows].sum() + 1) / (counted[rows].sum() + 2)
            assert np.allclose(shares[rows, 1], share)
        found = model.predict(table)
        assert found.any()
        assert shares[found, 1].mean() < 0.5


def test_balance_does_not_count_rows_without_weight() -> None:
    table = np.arange(60).reshape(-1, 1)
    label = (table[:, 0] >= 40).astype(int)
    weight = (np.arange(60) % 2).astype(float)
    some = RuleListClassifier(class_weight="balanced").fit(table, label, sample_weight=weight)
    kept = weight > 0
    alone = RuleListClassifier(class_weight="balanced").fit(table[kept], label[kept])
    assert by_weight(some.rule_list_) == by_weight(alone.rule_list_)


def test_it_survives_pickling(people: tuple[pd.DataFrame, pd.Series]) -> None:
    frame, label = people
    model = RuleListClassifier().fit(frame, label)
    again = pickle.loads(pickle.dumps(model))
    assert again.rule_list_ == model.rule_list_
    assert (again.predict(frame) == model.predict(frame)).all()


def test_it_works_inside_what_scikit_learn_builds(
    people: tuple[pd.DataFrame, pd.Series],
) -> None:
    frame, label = people
    scaled = make_column_transformer((StandardScaler(), ["age"]), remainder="passthrough")
    pipeline = make_pipeline(scaled.set_output(transform="pandas"), RuleListClassifier())
    assert pipeline.fit(frame, label).score(frame, label) == 1.0
    search = GridSearchCV(RuleListClassifier(), {"max_rules": [1, 3]}, cv=3).fit(frame, label)
    assert search.best_params_ == {"max_rules": 3}
    assert cross_val_score(RuleListClassifier(), frame, label, cv=3).min() > 0.97
    calibrated = CalibratedClassifierCV(RuleListClassifier(), cv=3).fit(frame, label)
    assert calibrated.predict_proba(frame).shape == (2000, 2)


def test_same_seed_same_list_for_any_number_of_threads() -> None:
    rng = np.random.default_rng(5)
    table = rng.random((30_000, 5))
    label = (table[:, 1] > 0.6) ^ (rng.random(30_000) < 0.1)
    settings: dict[str, Any] = {"strategy": "progressive", "epsilon": 0.5, "random_state": 7}
    one, two = (RuleListClassifier(**settings, n_jobs=n).fit(table, label) for n in (1, 2))
    assert one.rule_list_ == two.rule_list_
    assert one.certificate_ == two.certificate_


def test_the_model_can_be_saved_as_a_file(tmp_path: Any) -> None:
    table = np.arange(40).reshape(-1, 1)
    model = RuleListClassifier().fit(table, table[:, 0] >= 20)
    model.fitted_.save(tmp_path / "model.json")
    assert samrule.load(tmp_path / "model.json").rule_list == model.rule_list_


@pytest.mark.parametrize(
    ("table", "label", "words"),
    [
        (np.zeros((0, 2)), [], "0 sample"),
        (np.zeros((3, 0)), [0, 1, 0], "0 feature"),
        (np.arange(6).reshape(3, 2), [1, 1, 1], "holds one class, 1"),
        (np.arange(6).reshape(3, 2), [0, 1], "y has 2 entries; expected 3"),
        (np.arange(6).reshape(3, 2), None, "requires y"),
        (pd.DataFrame({"a": []}), [], "at least one row"),
        (pd.DataFrame({"a": [1, [2], 3]}), [0, 1, 0], "column 'a' mixes kinds of values"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_input_is_said_in_one_sentence(table: Any, label: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        RuleListClassifier().fit(table, label)


@pytest.mark.parametrize("random_state", [1.5, "x", True, -3])
def test_a_seed_is_a_whole_number(random_state: Any) -> None:
    with pytest.raises(SamruleError, match="random_state is"):
        RuleListClassifier(random_state=random_state).fit(np.arange(8).reshape(-1, 1), [0, 1] * 4)


def test_before_fitting_it_says_so() -> None:
    model = RuleListClassifier()
    with pytest.raises(NotFittedError):
        model.predict([[1]])
    with pytest.raises(NotFittedError):
        model.rule_list_  # noqa: B018


@pytest.mark.data
def test_balanced_classes_on_bank_find_more_of_those_who_subscribe(data_dir: Any) -> None:
    table = pd.read_parquet(data_dir / "bank.parquet")
    label = table.pop(table.columns[-1])
    rare = label.value_counts().index[-1]
    plain = RuleListClassifier(random_state=0).fit(table, label)
    balanced = RuleListClassifier(random_state=0, class_weight="balanced").fit(table, label)
    found = [(model.predict(table)[label == rare] == rare).mean() for model in (plain, balanced)]
    assert found[1] > found[0] + 0.3
    # The mean of the classes' accuracies is what balancing makes best.
    means = [
        np.mean([(model.predict(table)[label == one] == one).mean() for one in label.unique()])
        for model in (plain, balanced)
    ]
    assert means[1] > means[0] + 0.05


def test_n_jobs_means_what_it_does_in_scikit_learn(monkeypatch):
    asked = []

    def remembered(*arguments, threads, **keywords):
        asked.append(threads)
        return samrule.learn(*arguments, threads=threads, **keywords)

    monkeypatch.setattr("samrule.classifier.learn", remembered)
    table, labels = np.arange(20).reshape(-1, 1), np.arange(20) >= 12
    cores = joblib.cpu_count()
    for n_jobs in (None, 1, 3, -1, -2, -1000):
        RuleListClassifier(n_jobs=n_jobs).fit(table, labels)
    assert asked == [1, 1, 3, cores, max(1, cores - 1), 1]
    asked.clear()
    with joblib.parallel_config("threading", n_jobs=2):
        RuleListClassifier().fit(table, labels)
        RuleListClassifier(n_jobs=1).fit(table, labels)
    assert asked == [2, 1]
