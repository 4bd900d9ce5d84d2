// What other apps share with the installed page.

const ELSEWHERE = 'http://elsewhere.test/';

/**
 * Shares with the installed page, as the system of a phone does: a navigation with a form and without a referrer. Returns when
 * it was sent.
 * @param {import('playwright-core').Page} page
 * @param {string} url The address of the service.
 * @param {{ files?: { name: string, mimeType: string, buffer: Buffer }[], text?: string, policy?: string }} shared
 */
export const shareTo = async (page, url, { files = [], text, policy = 'no-referrer' }) => {
  await page.route(ELSEWHERE, route =>
    route.fulfill({
      contentType: 'text/html',
      body: `<meta name="referrer" content="${policy}"><form method="post" enctype="multipart/form-data" action="${url}/share"><input name="files" type="file" multiple><input name="text"><button>Share</button></form>`,
    }),
  );
  await page.goto(ELSEWHERE);
  if (files.length > 0) await page.locator('input[type=file]').setInputFiles(files);
  else await page.locator('input[type=file]').evaluate(element => element.remove());
  await page.locator('input[name=text]').fill(text ?? '');
  const pressed = performance.now();
  await page.getByRole('button', { name: 'Share' }).click({ noWaitAfter: true });
  return pressed;
};
