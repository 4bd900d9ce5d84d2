// Before the first paint: theme, language and whether a user is logged in, so that nothing flashes. The modules and
// responses
// that the first view needs are requested at once, before the modules that import them have run.
(root => {
  const stored = (storage, key) => {
    try {
      return JSON.parse(storage().getItem(`finance.${key}`));
    } catch {
      return null;
    }
  };
  const local = () => localStorage;
  const theme = stored(local, 'theme');
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  if (stored(local, 'language') === 'en') root.lang = 'en';
  const token = (stored(local, 'token') ?? stored(() => sessionStorage, 'token'))?.token;
  root.dataset.session = token ? 'yes' : 'no';

  const isDashboard = token && location.pathname === '/';
  const modules = !token ? ['views/login.js'] : isDashboard ? ['views/dashboard.js'] : [];
  for (const name of [`words/${root.lang}.js`, ...modules]) {
    const link = document.createElement('link');
    link.rel = 'modulepreload';
    link.href = new URL(name, document.currentScript.src).href;
    document.head.append(link);
  }

  // api.js uses these instead of a second request.
  const month = new URLSearchParams(location.search).get('month');
  const addresses = !token
    ? []
    : isDashboard
      ? ['/api/auth/me', `/api/dashboard${/^(19|2[01])\d\d-(0[1-9]|1[0-2])$/.test(month) ? `?month=${month}` : ''}`]
      : ['/api/auth/me'];
  globalThis.financeBegun = Object.fromEntries(
    addresses.map(address => {
      const answer = fetch(address, {
        headers: { Accept: 'application/json', Authorization: `Bearer ${token}` },
        cache: 'no-store',
      });
      answer.catch(() => {});
      return [address, answer];
    }),
  );
})(document.documentElement);
