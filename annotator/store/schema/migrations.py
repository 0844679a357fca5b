"""The tables, as migrations: each is applied once and never edited afterwards.

STRICT tables with CHECK, UNIQUE and foreign keys, so that a wrong value cannot be stored whoever writes. Times are UTC, ISO 8601.
Counts that screens show are kept by triggers, so that no screen counts a whole project.
"""

from sqlite_utils.db import Database
from sqlite_utils.migrations import Migrations

from annotator.store.schema.audits import AUDITS
from annotator.store.schema.bulk_actions import BULK_ACTIONS
from annotator.store.schema.crowd import CROWD
from annotator.store.schema.ends import ENDS
from annotator.store.schema.evidence import EVIDENCE
from annotator.store.schema.facts import FACTS
from annotator.store.schema.first_tables import FIRST_TABLES
from annotator.store.schema.guidelines import GUIDELINES
from annotator.store.schema.identities import IDENTITIES
from annotator.store.schema.jobs import JOBS, JOBS_WITH_TRAINING
from annotator.store.schema.label_tables import LABEL_TABLES
from annotator.store.schema.lists import LISTS
from annotator.store.schema.models import MODELS
from annotator.store.schema.named_people import NAMED_PEOPLE
from annotator.store.schema.notices import NOTICES
from annotator.store.schema.perturbations import PERTURBATIONS
from annotator.store.schema.proposed_sets import HELP, PROPOSED_SETS
from annotator.store.schema.qualification import QUALIFICATION
from annotator.store.schema.releases import RELEASES
from annotator.store.schema.removals import REMOVALS, REMOVED_ACCOUNTS
from annotator.store.schema.repeated_events import REPEATED_EVENTS
from annotator.store.schema.rounds import REVIEWING
from annotator.store.schema.shadow_scores import SHADOW_SCORES
from annotator.store.schema.shown import SHOWN
from annotator.store.schema.sufficient_sets import SUFFICIENT_SETS
from annotator.store.schema.suites import SUITES
from annotator.store.schema.tokens import TOKENS
from annotator.store.schema.trainings import TRAININGS
from annotator.store.schema.views import VIEWS
from annotator.store.schema.written_answers import WRITTEN_ANSWERS
from annotator.store.schema.wrong_k import forget_wrong_k

MIGRATIONS = Migrations("annotator")


@MIGRATIONS()
def m001_first_tables(db: Database) -> None:
    """People, projects, texts, work, events, and the counts kept by triggers."""
    for statement in FIRST_TABLES:
        db.conn.execute(statement)


@MIGRATIONS()
def m002_reviewing(db: Database) -> None:
    """Rounds, reviews and scores, corrections, the lead's choice of gold, and threads of comments."""
    for statement in REVIEWING:
        db.conn.execute(statement)


@MIGRATIONS()
def m003_models(db: Database) -> None:
    """Models, their runs, predictions, machine rationales and attributions."""
    for statement in MODELS:
        db.conn.execute(statement)


@MIGRATIONS()
def m004_tokens(db: Database) -> None:
    """API tokens."""
    for statement in TOKENS:
        db.conn.execute(statement)


@MIGRATIONS()
def m005_jobs(db: Database) -> None:
    """The queue of long work."""
    for statement in JOBS:
        db.conn.execute(statement)


@MIGRATIONS()
def m006_saved_lists(db: Database) -> None:
    """Lists of instances that people save under a name, with a note."""
    for statement in LISTS:
        db.conn.execute(statement)


@MIGRATIONS()
def m007_suites(db: Database) -> None:
    """Word lists, and functional tests with what models answer to them."""
    for statement in SUITES:
        db.conn.execute(statement)


@MIGRATIONS()
def m008_perturbations(db: Database) -> None:
    """Perturbations that people write, with their versions and checks."""
    for statement in PERTURBATIONS:
        db.conn.execute(statement)


@MIGRATIONS()
def m009_facts(db: Database) -> None:
    """What methods say of their own scores, beside each attribution."""
    for statement in FACTS:
        db.conn.execute(statement)


@MIGRATIONS()
def m010_proposed_sets(db: Database) -> None:
    """Sets that were proposed to annotators, and what became of them."""
    for statement in PROPOSED_SETS:
        db.conn.execute(statement)


@MIGRATIONS()
def m011_gatekeeping_repeated_events(db: Database) -> None:
    """How often within an hour strangers caused an event, so that not each time becomes one."""
    for statement in REPEATED_EVENTS:
        db.conn.execute(statement)


@MIGRATIONS()
def m012_independence_sets_shown(db: Database) -> None:
    """To whom others' sets of a text were shown, so that they are not given it to annotate."""
    for statement in SHOWN:
        db.conn.execute(statement)


@MIGRATIONS()
def m013_numbers_trainings(db: Database) -> None:
    """What models that were trained here learned from, and how often they are right about other texts."""
    for statement in TRAININGS:
        db.conn.execute(statement)


@MIGRATIONS()
def m014_mywork_by_time(db: Database) -> None:
    """A person's work in the order in which it left their hands, so that a page of it is found without sorting all of it."""
    db.conn.execute(
        "CREATE INDEX assignments_by_time ON assignments (project_id, user_id, coalesce(submitted_at, created_at), id)"
    )


@MIGRATIONS()
def m015_rules_forget_wrong_k(db: Database) -> None:
    """Numbers, selected tokens and answers to them in long texts, where k may have been too small."""
    forget_wrong_k(db)


@MIGRATIONS()
def m016_trainpage_jobs_that_train(db: Database) -> None:
    """Trainings stand in the queue of long work as well."""
    for statement in JOBS_WITH_TRAINING:
        db.conn.execute(statement)


@MIGRATIONS()
def m017_perturb_turns_of_drafts(db: Database) -> None:
    """Which tab wrote a draft of a changed version, and its how-manieth state that is: an older one never takes its place."""
    db.conn.execute("ALTER TABLE perturbation_drafts ADD COLUMN writer TEXT NOT NULL DEFAULT ''")
    db.conn.execute("ALTER TABLE perturbation_drafts ADD COLUMN turn INTEGER NOT NULL DEFAULT 0")


@MIGRATIONS()
def m018_labelmap_events_of_label_tables(db: Database) -> None:
    """What a project calls the labels of models is found in the record without reading all of it."""
    for statement in LABEL_TABLES:
        db.conn.execute(statement)


@MIGRATIONS()
def m019_selfexp_quotes(db: Database) -> None:
    """What became of the quotes that a model gave as its reason: how many, how many are missing, and the first of these."""
    db.conn.execute(
        "ALTER TABLE machine_rationales ADD COLUMN quotes TEXT CHECK (quotes IS NULL OR json_valid(quotes))"
    )


@MIGRATIONS()
def m020_decoders_written_answers(db: Database) -> None:
    """An attribution may be of an answer that the model wrote, and then holds the map of each of its subwords."""
    for statement in WRITTEN_ANSWERS:
        db.conn.execute(statement)


@MIGRATIONS()
def m021_views_saved_views(db: Database) -> None:
    """What is chosen on the Metrics page, under a name."""
    for statement in VIEWS:
        db.conn.execute(statement)


@MIGRATIONS()
def m022_releases_of_gold(db: Database) -> None:
    """Gold as it was at one moment, under a number that stays."""
    for statement in RELEASES:
        db.conn.execute(statement)


@MIGRATIONS()
def m023_guidelines_versions(db: Database) -> None:
    """Versions of guidelines, who has read which, and which one the author of each annotation had read."""
    for statement in GUIDELINES:
        db.conn.execute(statement)


@MIGRATIONS()
def m024_qualification_by_known_gold(db: Database) -> None:
    """Training of annotators and reviewers on texts with known gold, and blind checks among their work."""
    for statement in QUALIFICATION:
        db.conn.execute(statement)


@MIGRATIONS()
def m025_persons_removals(db: Database) -> None:
    """Who was made nameless or erased, without a name, and whether the file was written anew since."""
    for statement in REMOVALS:
        db.conn.execute(statement)


@MIGRATIONS()
def m026_ends_of_projects(db: Database) -> None:
    """Projects may be archived, and deleted with everything of theirs."""
    for statement in ENDS:
        db.conn.execute(statement)


@MIGRATIONS()
def m028_search_bulk_actions_and_named_people(db: Database) -> None:
    """When each text was imported, what was done to many at once, and the people for whom texts are."""
    for statement in (*NAMED_PEOPLE, *BULK_ACTIONS):
        db.conn.execute(statement)


@MIGRATIONS()
def m029_evidence_passes_and_audits(db: Database) -> None:
    """Second passes in which all evidence is marked, what was made gold of them, and audits of accepted changed versions."""
    for statement in (*EVIDENCE, *AUDITS):
        db.conn.execute(statement)


@MIGRATIONS()
def m030_crowd_doors(db: Database) -> None:
    """Doors by which workers of a platform come in, and what is kept of each worker."""
    for statement in CROWD:
        db.conn.execute(statement)


@MIGRATIONS()
def m031_notices(db: Database) -> None:
    """Notices to the people concerned, and what of them leaves the server by mail or webhook."""
    for statement in NOTICES:
        db.conn.execute(statement)


@MIGRATIONS()
def m032_language_of_each_person(db: Database) -> None:
    """The language that somebody chose; none is their browser's."""
    db.conn.execute("ALTER TABLE users ADD COLUMN language TEXT CHECK (language IN ('en', 'zh'))")


@MIGRATIONS()
def m034_crowd_workers_stopped_by_a_lead(db: Database) -> None:
    """Whether a lead ended the work of a crowd worker."""
    db.conn.execute(
        "ALTER TABLE crowd_workers ADD COLUMN is_stopped INTEGER NOT NULL DEFAULT 0 CHECK (is_stopped IN (0, 1))"
    )


@MIGRATIONS()
def m035_persons_removed_accounts(db: Database) -> None:
    """By what a restore knows again who was anonymised or erased since the backup, without a name."""
    for statement in REMOVED_ACCOUNTS:
        db.conn.execute(statement)


@MIGRATIONS()
def m036_help_leaves_a_trace(db: Database) -> None:
    """Whom the lot helps, what was shown to whom and what became of it, and what help had to do with each set."""
    for statement in HELP:
        db.conn.execute(statement)


@MIGRATIONS()
def m037_sufficient_sets(db: Database) -> None:
    """A model's own rationale sets, and what it answers to these and to people's."""
    for statement in SUFFICIENT_SETS:
        db.conn.execute(statement)


@MIGRATIONS()
def m038_shadow_scores(db: Database) -> None:
    """What language models give as reviewers who decide nothing."""
    for statement in SHADOW_SCORES:
        db.conn.execute(statement)


@MIGRATIONS()
def m039_identities_elsewhere(db: Database) -> None:
    """Who signs in through an identity provider, and roles that came from its claims."""
    for statement in IDENTITIES:
        db.conn.execute(statement)
