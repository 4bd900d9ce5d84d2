// The character: its appearance, its cosmetics, and how they were earned.
import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { get, getPage, post, put, resource } from '../api.js';
import {
  button,
  classes,
  details,
  div,
  fieldset,
  h,
  h1,
  h2,
  h3,
  img,
  input,
  label,
  legend,
  li,
  p,
  progress,
  section,
  small,
  span,
  strong,
  summary,
  ul,
} from '../dom.js';
import { icon } from '../parts/icon.js';
import { ghost, Loaded } from '../parts/problem.js';
import { attempt } from '../parts/toast.js';
import { canWrite, player, wrote } from '../session.js';
import { language, words, wordsOf } from '../words.js';
import { segments } from '../parts/field.js';

/** @typedef {import('../../../types/client').Schemas} Schemas */
/** @typedef {Schemas['Cosmetic']} Cosmetic */
/** @typedef {'skin' | 'hair_style' | 'body'} Trait */

const own = await wordsOf('character');

/** @type {Cosmetic['type'][]} */
const TYPES = ['hair', 'shirt', 'pants', 'shoes'];
/** @type {Schemas['Quest']['quest_type'][]} */
const QUEST_TYPES = ['daily', 'weekly', 'monthly', 'once'];
/** @type {Trait[]} */
const TRAITS = ['skin', 'hair_style', 'body'];
const EVENTS = 10;
/** The service has the texts of the catalog in Portuguese; what the words of the page lack stays so. */
const PORTUGUESE = 'pt-BR';

const cosmetics = resource(signal => get('/api/gamification/cosmetics', { signal }));
/** The name of a cosmetic. @param {Cosmetic} of */
const nameOf = ({ id, name }) => own.value.catalog.cosmetics[id] ?? name;
/**
 * A row with its texts in the page's language, and the language that they are in.
 * @template {{ title: string, description: string }} T
 * @param {T} row @param {[title: string, description: string] | undefined} known
 */
const translated = (row, known) => {
  const [title, description] = known ?? [row.title, row.description];
  return { ...row, title, description, lang: known ? language.value : PORTUGUESE };
};
/** @param {Schemas['Quest']} row */
const questOf = row => translated(row, own.value.catalog.quests[row.id]);
/** @param {Schemas['Achievement']} row */
const achievementOf = row => {
  const { achievements: known, of_category: pattern } = own.value.catalog,
    name = pattern?.[0].exec(row.title)?.[1];
  if (!pattern || name === undefined) return translated(row, known[row.key]);
  return translated(row, [pattern[1].replace('$1', () => name), pattern[2].replace('$1', () => name)]);
};

const appearance = resource(signal => get('/api/gamification/appearance', { signal }));
const quests = resource(signal => get('/api/gamification/quests', { signal }));
const achievements = resource(signal => get('/api/gamification/achievements', { signal }));
const events = resource(signal => getPage('/api/gamification/xp-events', { query: { limit: EVENTS }, signal }));

/** The selected type of cosmetics. @type {import('@preact/signals').Signal<Cosmetic['type']>} */
const type = signal('hair');
/** The id of the cosmetic that is tried on. @type {import('@preact/signals').Signal<number | null>} */
const triedId = signal(null);
const tried = computed(() => cosmetics.data.value?.find(({ id }) => id === triedId.value));
const isBusy = signal(false);

/**
 * The address of a drawing with a cosmetic tried on. The colours of the cosmetic that it replaces go back to the base.
 * @param {{ scene?: string, cosmetic?: Cosmetic | undefined, traits?: Partial<Record<Trait, string>> }} [changes]
 */
const drawing = ({ scene, cosmetic, traits } = {}) => {
  const [path = '', search] = (player.data.value?.sprite ?? '').split('?');
  const query = new URLSearchParams(search);
  if (cosmetic) {
    const worn = (cosmetics.data.value ?? []).filter(({ equipped }) => equipped);
    for (const { colors } of worn) Object.keys(colors).forEach(name => query.delete(name));
    for (const kind of TYPES)
      Object.entries(
        (cosmetic.type === kind ? cosmetic : worn.find(known => known.type === kind))?.colors ?? {},
      ).forEach(([name, color]) => query.set(name, color));
    query.set(`${cosmetic.type}_shape`, cosmetic.shape);
  }
  const looks = { ...appearance.data.value, ...traits };
  for (const trait of TRAITS) if (looks[trait]) query.set(trait, looks[trait]);
  return `${scene ? `/sprites/${scene}.svg` : path}?${query}`;
};

/** @param {number} figure */
const written = figure => figure.toLocaleString(language.value);
/** @param {string} instant */
const when = instant =>
  new Intl.DateTimeFormat(language.value, { day: 'numeric', month: 'short', year: 'numeric' }).format(
    Date.parse(instant),
  );
/** @param {string} src */
const picture = src => img({ src, alt: '', width: 60, height: 80 });

/**
 * Performs a write, and reloads what it changed. If the service refuses it, the error is shown.
 * @param {() => Promise<unknown>} work
 * @param {() => Promise<void> | undefined} reload
 */
const write = async (work, reload) => {
  await attempt(work);
  await Promise.all([reload(), wrote()]);
};

/**
 * @typedef {{ id: string | number, text: string, isChosen: boolean, choose: () => void, src: string, note?: string | null, isLocked?: boolean }} Tile
 */

/**
 * Pictures, of which the user chooses one.
 * @param {{ key: string, title: string, name: string, isHidden?: boolean, tiles: Tile[] }} props
 */
const Pictures = ({ key, title, name, isHidden = false, tiles }) =>
  fieldset(
    { key, class: 'field' },
    legend({ class: classes(isHidden && 'unseen') }, title),
    div(
      { class: 'segments pictures' },
      tiles.map(({ id, text, isChosen, choose, src, note, isLocked }) =>
        label(
          { key: id, class: 'segment' },
          input({ type: 'radio', name, checked: isChosen, onChange: choose }),
          span(
            { class: classes(isLocked && 'locked') },
            picture(src),
            small(null, text),
            note && small(null, strong(null, note)),
          ),
        ),
      ),
    ),
  );

/** @param {{ known: Schemas['GamificationProfile'] }} props */
const Hero = ({ known }) => {
  const w = own.value;
  const of = known.xp_into_level + known.xp_to_next_level,
    note = words.value.character;
  return section(
    { class: 'card hero', 'aria-labelledby': 'who', style: { borderTop: `6px solid ${known.theme.primary}` } },
    img({
      src: drawing({ cosmetic: tried.value }),
      alt: tried.value ? w.trying(nameOf(tried.value)) : '',
      width: 240,
      height: 320,
      style: { justifySelf: 'center' },
    }),
    div(
      { class: 'hero-savings' },
      h2(
        { id: 'who', class: 'hero-figure' },
        span({ lang: note.titled(known) === known.title ? PORTUGUESE : language.value }, note.titled(known)),
      ),
      strong(null, note.short(known.level)),
      progress({ value: known.xp_to_next_level ? known.xp_into_level : of, max: of, 'aria-labelledby': 'xp' }),
      p(
        { id: 'xp' },
        w.all_xp(written(known.xp)),
        ', ',
        known.xp_to_next_level ? note.to_next(known.xp_to_next_level) : note.last_level,
      ),
      h3(null, w.theme),
      ul(
        { class: 'chips' },
        Object.entries(w.colors).map(([name, text]) =>
          li(
            { key: name, class: 'category-note' },
            span({ class: 'dot', style: { background: known.theme[name] ?? '', boxShadow: '0 0 0 1px currentColor' } }),
            text,
          ),
        ),
      ),
    ),
  );
};

/** @param {{ rows: Cosmetic[] }} props */
const Wardrobe = ({ rows }) => {
  const w = own.value,
    shown = rows.filter(cosmetic => cosmetic.type === type.value);
  const worn = shown.find(({ equipped }) => equipped),
    chosen = tried.value ?? worn;
  /** @param {Cosmetic} cosmetic */
  const change = async ({ id, equipped }) => {
    if (isBusy.value) return;
    isBusy.value = true;
    await write(async () => {
      await post(equipped ? '/api/gamification/cosmetics/{id}/unequip' : '/api/gamification/cosmetics/{id}/equip', {
        path: { id },
      });
      triedId.value = null;
    }, cosmetics.load);
    isBusy.value = false;
  };
  return [
    fieldset(
      { key: 'type', class: 'tools' },
      legend({ class: 'unseen' }, w.kind),
      div(
        { class: 'segments' },
        segments(
          'type',
          TYPES.map(kind => [kind, w.kinds[kind]]),
          type.value,
          kind => {
            type.value = kind;
            triedId.value = null;
          },
        ),
      ),
    ),
    Pictures({
      key: type.value,
      title: w.kinds[type.value],
      name: 'cosmetic',
      isHidden: true,
      tiles: shown.map(cosmetic => ({
        id: cosmetic.id,
        text: nameOf(cosmetic),
        isChosen: chosen === cosmetic,
        choose: () => (triedId.value = cosmetic.id),
        isLocked: !cosmetic.owned,
        src: drawing({ scene: cosmetic.type === 'hair' ? 'portrait' : 'fitting', cosmetic }),
        note: cosmetic.equipped ? w.worn : cosmetic.owned ? null : words.value.character.short(cosmetic.required_level),
      })),
    }),
    div(
      { key: 'bar', class: 'card review-bar' },
      div(
        { class: 'account-name', role: 'status' },
        chosen ? picture(drawing({ cosmetic: chosen })) : null,
        span(
          null,
          chosen ? (chosen.equipped ? w.wearing : w.trying)(nameOf(chosen)) : w.nothing,
          chosen && !chosen.owned && small({ class: 'quiet' }, w.from_level(chosen.required_level)),
        ),
      ),
      div(
        { class: 'actions' },
        tried.value &&
          !tried.value.equipped &&
          button({ class: 'button', type: 'button', onClick: () => (triedId.value = null) }, w.put_back),
        chosen?.owned &&
          canWrite.value &&
          button(
            {
              class: classes('button', !chosen.equipped && 'primary send'),
              type: 'button',
              'aria-disabled': isBusy.value,
              onClick: () => void change(chosen),
            },
            chosen.equipped ? w.take_off : w.wear,
            span({ class: 'unseen' }, ` ${nameOf(chosen)}`),
          ),
      ),
    ),
  ];
};

/** Saves in order, so that the last of several fast choices stays. */
let saving = Promise.resolve();

/** @param {{ of: Schemas['Appearance'] }} props */
const Looks = ({ of }) => {
  const w = own.value;
  /** @param {Trait} trait @param {string} id */
  const choose = (trait, id) => {
    // `of` may be older: two choices can come between two renderings.
    const chosen = { ...(appearance.data.peek() ?? of), [trait]: id };
    appearance.set(chosen);
    // What is stored must not replace a later choice that is still to be saved.
    const ifLast = (/** @type {() => Promise<void>} */ act) => (appearance.data.peek() === chosen ? act() : undefined);
    saving = saving.then(() =>
      ifLast(() =>
        write(
          () => put('/api/gamification/appearance', { body: chosen }),
          () => ifLast(appearance.load),
        ),
      ),
    );
  };
  return TRAITS.map(trait =>
    Pictures({
      key: trait,
      title: w[trait],
      name: trait,
      tiles: of.choices[trait].map(id => ({
        id,
        text: w.ids[trait][id] ?? id,
        isChosen: of[trait] === id,
        choose: () => choose(trait, id),
        src: drawing({ scene: trait === 'body' ? 'fitting' : 'portrait', traits: { [trait]: id } }),
      })),
    }),
  );
};

/**
 * A row of a list of rewards.
 * @param {{ title: string, description: string, xp: number, done: string | null, lang: string, more?: import('preact').ComponentChildren }} props
 */
const Line = ({ title, description, xp, done, lang, more }) => [
  icon(done ? 'check' : 'spark'),
  span(
    { class: 'entry-text' },
    strong({ lang }, title),
    span({ class: 'quiet', lang }, description),
    done && span({ class: 'quiet' }, done),
    more,
  ),
  span({ class: 'nowrap' }, own.value.xp(xp)),
];

/** @param {{ rows: Schemas['Quest'][] }} props */
const Quests = ({ rows }) => {
  const w = own.value;
  return QUEST_TYPES.map(period =>
    div(
      { key: period },
      h3(null, w.quest_types[period]),
      ul(
        { class: 'rows' },
        rows
          .filter(quest => quest.quest_type === period)
          .map(questOf)
          .map(quest =>
            li(
              { key: quest.id, class: 'entry' },
              Line({
                ...quest,
                done: quest.completed_at ? w.completed(when(quest.completed_at)) : null,
                more:
                  !quest.completed_at &&
                  span(
                    { class: 'account-name' },
                    progress({ value: quest.progress, max: quest.target, 'aria-label': quest.title }),
                    span({ class: 'nowrap quiet' }, w.progress(quest.progress, quest.target)),
                  ),
              }),
            ),
          ),
      ),
    ),
  );
};

/** @param {{ rows: Schemas['Achievement'][] }} props */
const Achievements = ({ rows }) => {
  const w = own.value,
    earned = rows.filter(row => row.earned_at),
    open = rows.filter(row => !row.earned_at);
  /** @param {Schemas['Achievement'][]} some */
  const list = some =>
    ul(
      { class: 'rows' },
      some
        .map(achievementOf)
        .map(row =>
          li({ key: row.key, class: 'entry' }, Line({ ...row, done: row.earned_at ? when(row.earned_at) : null })),
        ),
    );
  return [
    p({ key: 'count', class: 'finding' }, earned.length ? w.earned_of(earned.length, rows.length) : w.none_earned),
    list(earned),
    open.length > 0 && details({ key: 'open' }, summary(null, w.to_earn(open.length)), list(open)),
  ];
};

/** The subject of an award, without the parts for programs. @param {Schemas['XpEvent']} event */
const subjectOf = ({ action, subject }) => {
  const quest = quests.data.value?.find(({ id }) => id === parseInt(subject, 10)),
    achievement = achievements.data.value?.find(({ key }) => key === subject);
  if (action === 'quest_completed') return quest && questOf(quest).title;
  if (action === 'achievement_earned') return achievement && achievementOf(achievement).title;
  if (action === 'import_confirmed' || action === 'settings_changed') return '';
  return subject.replace(/^(\d{4}-\d\d(-\d\d)?)? ?((income|expense) )?(\d+\.\d\d ?)?/, '');
};

/** @param {{ page: import('../../../types/client').Page<Schemas['XpEvent']> }} props */
const History = ({ page: { rows, next } }) => {
  const w = own.value;
  const more = () =>
    attempt(
      async () => {
        const page = await getPage(/** @type {any} */ (next));
        events.set({ rows: [...rows, ...page.rows], next: page.next });
      },
      { busy: isBusy },
    );
  if (rows.length === 0) return p({ class: 'quiet' }, w.no_history);
  return [
    ul(
      { key: 'rows', class: 'rows' },
      rows.map(event =>
        li(
          { key: event.id, class: 'account-row' },
          span(
            { class: 'entry-text' },
            w.actions[event.action] ?? event.action,
            span({ class: 'quiet' }, [subjectOf(event), when(event.created_at)].filter(Boolean).join(' · ')),
          ),
          span({ class: 'nowrap' }, w.xp(event.xp)),
        ),
      ),
    ),
    next &&
      button(
        { key: 'more', class: 'button', type: 'button', 'aria-disabled': isBusy.value, onClick: () => void more() },
        w.more,
      ),
  ];
};

const skeleton = div({ class: 'plain' }, div({ class: 'skeleton tall' }), div({ class: 'skeleton tall' }));

/**
 * @template T
 * @param {string} id
 * @param {string} title
 * @param {import('../../../types/client').Resource<T>} of
 * @param {(data: T) => import('preact').ComponentChildren} children
 */
const Card = (id, title, of, children) =>
  section({ key: id, class: 'card', 'aria-labelledby': id }, h2({ id }, title), Loaded({ of, skeleton, children }));

export default () => {
  const w = own.value;
  // Shows new rewards, and ends the try-on when the user leaves.
  useEffect(() => {
    player.want();
    for (const shown of [cosmetics, appearance, quests, achievements, events]) void shown.load();
    return () => {
      triedId.value = null;
    };
  }, []);
  // All of it comes at once: cards that came one by one would move those below them.
  const parts = [player, cosmetics, appearance, quests, achievements, events];
  if (parts.some(part => part.data.value === null && part.error.value === null))
    return div(
      { class: 'page' },
      h1({ tabIndex: -1 }, w.title),
      div(
        { key: 'loading', class: 'loading', 'aria-busy': true },
        div({ class: 'unseen', role: 'status' }, words.value.app.loading),
        div({ class: 'dashboard' }, ghost(9), ghost(7)),
      ),
    );
  return div(
    { class: 'page' },
    h1({ tabIndex: -1 }, w.title),
    div(
      { class: 'columns' },
      div(
        { class: 'dashboard' },
        Loaded({ of: player, skeleton, children: known => h(Hero, { known }) }),
        canWrite.value && Card('looks', w.appearance, appearance, of => div({ class: 'form' }, h(Looks, { of }))),
      ),
      div(
        { class: 'dashboard' },
        Card('clothes', w.clothes, cosmetics, rows => div({ class: 'form' }, h(Wardrobe, { rows }))),
        Card('quests', w.quests, quests, rows => h(Quests, { rows })),
      ),
    ),
    div(
      { class: 'columns' },
      Card('achievements', w.achievements, achievements, rows => h(Achievements, { rows })),
      Card('history', w.history, events, page => h(History, { page })),
    ),
  );
};
