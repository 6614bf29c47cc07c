import { CLOSED, hashOf } from './page-policy.js';

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5b6670; --line: #d8dee4; --accent: #0b5cad; --code: #f3f5f7; --page: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ec; --soft: #a3adb6; --line: #39424b; --accent: #7db8f0; --code: #20262c; --page: #14181c; }
}
body { font: 16px/1.6 system-ui, sans-serif; max-width: 44rem; margin: 4rem auto; padding: 0 1.25rem; color: var(--ink); background: var(--page); }
h1 { font-size: 2rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 2.5rem 0 .5rem; }
p.lead { color: var(--soft); margin: .25rem 0 0; }
a { color: var(--accent); }
ul { padding: 0; list-style: none; border-top: 1px solid var(--line); }
li { padding: .6rem 0; border-bottom: 1px solid var(--line); }
li a { font-weight: 600; }
li span { color: var(--soft); display: block; }
pre { background: var(--code); padding: .9rem 1rem; border-radius: .4rem; overflow-x: auto; font-size: .85rem; }
`;

/**
 * The page of a Weft without a dashboard. It is the same for everybody and every address, and contains nothing of the
 * request. Links are relative to the root of the site, as those of the API are.
 */
export const WELCOME_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Weft</title>
<style>${STYLE}</style>
<h1>Weft</h1>
<p class="lead">This is Weft, a service that runs workflows and does not lose them. You use it through its API.</p>
<ul>
<li><a href="/api/docs">API reference</a> <span>every operation, to read and to try out</span></li>
<li><a href="/api/openapi.json">OpenAPI document</a> <span>the same for programs and generators of clients</span></li>
<li><a href="/health">Health</a> <span>whether this process can do its work</span></li>
</ul>
<h2>Signing in</h2>
<p>There is no page to sign in at yet. A program signs in like this, and sends the cookie along from then on; for scripts there are API keys (<code>POST /api/v1/admin/api-keys</code>).</p>
<pre>base=http://localhost:3000   # the address of this page
curl -c jar "$base/api/v1/auth/login" -H 'content-type: application/json' \\
  -d '{"email":"&lt;e-mail&gt;","password":"&lt;password&gt;"}'
curl -b jar "$base/api/v1/flows"</pre>
<h2>Invited, or a new password?</h2>
<p>Your link ends in <code>token=…</code>. It sets your password, once, within 72 hours:</p>
<pre>curl "$base/api/v1/auth/password/accept" -H 'content-type: application/json' \\
  -d '{"token":"&lt;what follows token=&gt;","password":"&lt;12 characters or more&gt;"}'</pre>
<h2>More</h2>
<p>The folder <code>docs/</code> of the checkout says what flows, plays and layers can do; <code>npm run watch</code> shows plays live.</p>
</html>
`;

/** Its own style, and nothing else from anywhere. */
export const WELCOME_PAGE_POLICY = `default-src 'none'; style-src ${hashOf(STYLE)}; ${CLOSED}`;

/** Addresses that people open, or are sent to by our own answers. */
const ADDRESSES: ReadonlySet<string> = new Set(['/', '/login', '/invite', '/reset-password']);

/** True when the address shows this page because there is no dashboard yet. */
export function isWelcome(method: string, path: string): boolean {
  return (method === 'GET' || method === 'HEAD') && ADDRESSES.has(path);
}
