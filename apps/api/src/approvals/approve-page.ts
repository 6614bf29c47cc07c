import { CLOSED, hashOf } from '../pages/page-policy.js';

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 36rem; margin: 3rem auto; padding: 0 1rem; color: #1c1c1c; background: #fff; }
#message { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 1.15rem; border-left: 4px solid #888; padding-left: 1rem; }
textarea { width: 100%; box-sizing: border-box; font: inherit; }
button { font: inherit; padding: .5rem 1.25rem; margin: .75rem .5rem 0 0; }
`;

/** The token is in the fragment, which only this page sees: no server, no log, and no scanner that follows links has it. */
const SCRIPT = `
'use strict';
const token = location.hash.slice(1);
const at = (id) => document.getElementById(id);
const show = (id, text) => { at(id).textContent = text; at(id).hidden = text === ''; };
const say = (text) => show('status', text);
const OVER = {
  not_yet: 'The play does not wait for this approval yet. Open the link again later.',
  decided: 'This approval is over: it was decided, or its time ran out. A link decides once.',
  ended: 'The play has ended; there is nothing to decide any more.',
};

async function post(path, body) {
  const options = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch('/api/v1/approval-links/' + path, options);
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.detail);
  return told;
}

function showLink(link) {
  at('decide').hidden = !link.mayDecide;
  show('flow', link.flow === null ? '' : link.flow);
  show('message', link.message === null ? '' : link.message);
  show('until', link.until === null ? '' : 'To be decided until ' + new Date(link.until).toLocaleString() + '.');
  show('as', link.mayDecide && link.decidesAs ? 'You decide as ' + link.decidesAs + '.' : '');
  at('sign-in').hidden = !link.needsSignIn;
  if (link.standing !== 'open') return say(OVER[link.standing]);
  if (link.needsSignIn) return say('Sign in to see what is to be decided.');
  say(link.mayDecide ? '' : 'Others decide this approval' + (link.decidesAs ? ', not ' + link.decidesAs : '') + '.');
}

async function decide(decision) {
  at('decide').disabled = true;
  try {
    await post('decide', { token, decision, comment: at('comment').value || null });
    for (const id of ['decide', 'until', 'as']) at(id).hidden = true;
    say(decision === 'approve' ? 'Approved. Thank you.' : 'Rejected. Thank you.');
  } catch (error) {
    at('decide').disabled = false;
    say(error.message);
  }
}

for (const decision of ['approve', 'reject']) at(decision).addEventListener('click', () => decide(decision));
at('sign-in').href = '/login?returnTo=' + encodeURIComponent('/approve#' + token);
addEventListener('hashchange', () => location.reload());
if (token === '') say('This link is not whole: what stands behind its # is missing.');
else post('read', { token }).then(showLink, (error) => say(error.message));
`;

/** The same for everybody, and without anything of anybody: what is asked comes later, for the token. */
export const APPROVE_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Approval</title>
<style>${STYLE}</style>
<h1>Approval</h1>
<p id="flow" hidden></p>
<p id="message" hidden></p>
<p id="until" hidden></p>
<p id="as" hidden></p>
<fieldset id="decide" hidden>
<legend>Your decision</legend>
<label for="comment">Comment (may be left out)</label>
<textarea id="comment" rows="3" maxlength="2000"></textarea>
<button type="button" id="approve">Approve</button>
<button type="button" id="reject">Reject</button>
</fieldset>
<p id="status" role="status">One moment …</p>
<p><a id="sign-in" hidden>Sign in</a></p>
<noscript><p>This page needs JavaScript. The API decides approvals, too: POST /api/v1/plays/:id/approvals/:ref</p></noscript>
<script>${SCRIPT}</script>
</html>
`;

/** Its own script and style, talk with its own server, and nothing else from anywhere. */
export const APPROVE_PAGE_POLICY = [
  `default-src 'none'; script-src ${hashOf(SCRIPT)}; style-src ${hashOf(STYLE)}; connect-src 'self'`,
  CLOSED,
].join('; ');
