// All drawings of the character on one page: each level with its own look, small and large, on light and dark
// backgrounds.

/** The sprites of the levels, from the lowest. */
export const SPRITES = [
  'semente',
  'broto',
  'muda',
  'folhagem',
  'arbusto',
  'canteiro',
  'horta',
  'jardim',
  'estufa',
  'pomar',
  'arvore',
  'arvoredo',
  'bosque',
  'mata',
  'floresta',
];
const HAIRS = ['#4a3728', '#1e1e24', '#d9b44a', '#b5502c', '#a3a8ad', '#3f6fd1', '#1e1e24'];
const TYPES = ['hair', 'shirt', 'pants', 'shoes'];

/**
 * The sheet as a document that loads no other file.
 * @param {string} url
 * @param {Awaited<ReturnType<typeof import('./support.mjs').client>>} api
 * @param {{ large?: number }} [options]
 */
export const sheet = async (url, api, { large = 200 } = {}) => {
  const { choices } = await api.get('/api/gamification/appearance');
  const cosmetics = await api.get('/api/gamification/cosmetics');
  const nth = (list, at) => list[at % list.length];
  const image = async (name, appearance, width) => {
    const svg = await (await fetch(`${url}/sprites/${name}.svg?${new URLSearchParams(appearance)}`)).text();
    return `<img width="${width}" height="${(width * 4) / 3}" src="data:image/svg+xml,${encodeURIComponent(svg)}">`;
  };
  const all = async (list, drawn) => (await Promise.all(list.map(drawn))).join('');
  const wearing = cosmetic => ({ ...cosmetic.colors, [`${cosmetic.type}_shape`]: cosmetic.shape });
  const looks = SPRITES.map((_, at) => ({
    skin: nth(choices.skin, at * 3),
    hair_style: nth(choices.hair_style, at),
    body: nth(choices.body, at),
    hair: nth(HAIRS, at),
    ...Object.assign(
      {},
      ...TYPES.map((type, kind) =>
        wearing(
          nth(
            cosmetics.filter(known => known.type === type),
            kind ? at : at * 4,
          ),
        ),
      ),
    ),
  }));
  const levels = await all(SPRITES, (name, at) => image(name, looks[at], large));
  const plain = await all(SPRITES, name => image(name, {}, 40));
  const small = await all(SPRITES, (name, at) => image(name, looks[at], 40));
  const hair = await all(
    choices.skin.flatMap((skin, at) =>
      choices.hair_style.map(hair_style => ({ skin, hair_style, hair: nth(HAIRS, at) })),
    ),
    appearance => image('portrait', appearance, 75),
  );
  const worn = await all(
    choices.body.flatMap((body, at) =>
      cosmetics.map(cosmetic => ({
        skin: nth(choices.skin, at * 2 + 1),
        hair_style: nth(choices.hair_style, at + 3),
        body,
        ...wearing(cosmetic),
      })),
    ),
    appearance => image('fitting', appearance, 75),
  );
  return `<!doctype html><style>body{margin:0;width:${large * 5 + 48}px}div{display:flex;flex-wrap:wrap;gap:6px;padding:12px}.dark{background:#171b1b}</style>
    <div id="levels">${levels}</div><div>${plain}${small}</div><div class="dark">${plain}${small}</div><div>${hair}</div><div class="dark">${hair}</div><div>${worn}</div>`;
};
