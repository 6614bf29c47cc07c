// @ts-check
/** Everything that people and programs ask about what is stored: lists with one filter, with two, counts, figures. */

/**
 * @param {{ flow: string, rare: string, play: string, order: string, error: string, endedFrom: string }} of the flow with most plays; one that never failed;
 * a play; an order of one labelled play; the error code of all that
 * failed; a time an hour ago
 * @returns {readonly (readonly [name: string, path: string])[]}
 */
export function questionsAbout({ flow, rare, play, order, error, endedFrom }) {
  const list = (/** @type {string} */ query) => `/api/v1/plays?size=50&${query}`;
  const counts = (/** @type {string} */ query) => `/api/v1/plays/counts?${query}`;
  const window = `from=${encodeURIComponent(endedFrom)}`;
  const ended = `endedFrom=${encodeURIComponent(endedFrom)}`;
  const nobody = 'label=customer:nobody';
  const eu = 'label=region:eu';
  return [
    ['newest', list('')],
    ['page 100', list('page=100')],
    ['one flow', list(`flowId=${flow}`)],
    ['a flow with few plays', list(`flowId=${rare}`)],
    ...['NEW', 'RUN', 'WAIT', 'DEFERRED', 'ON_HOLD', 'DONE', 'FAIL', 'FILTERED', 'SKIP'].map(
      (state) => /** @type {const} */ ([`state ${state}`, list(`state=${state}`)]),
    ),
    ['state FAIL or FILTERED', list('state=FAIL,FILTERED')],
    ['accepted in the last hour', list(window)],
    ['label of most', list(eu)],
    ['label of one play', list(`label=customer:${order}`)],
    ['label of none', list(nobody)],
    ['error code', list(`errorCode=${error}`)],
    ['error code of none', list('errorCode=nothing_has_it')],
    ['key of none', list('idempotencyKey=nothing-has-it')],
    ['beginning of keys', list('idempotencyKeyPrefix=a')],
    ['beginning of no key', list('idempotencyKeyPrefix=zzzz-none')],
    ['trigger api', list('trigger=api')],
    ['trigger schedule', list('trigger=schedule')],
    ['trigger hook (none)', list('trigger=hook')],
    ['retrying', list('retrying=true')],
    ['mended', list('mended=true')],
    ['not mended', list('mended=false')],
    ['by end', list('sort=completedAt')],
    ['by end, page 100', list('sort=completedAt&page=100')],
    ['ended in the last hour', list(ended)],
    // two filters: what matches both is rare or nothing
    ['FAIL of a flow', list(`state=FAIL&flowId=${flow}`)],
    ['FAIL of a flow that never failed', list(`state=FAIL&flowId=${rare}`)],
    ['DONE of a flow with few', list(`state=DONE&flowId=${rare}`)],
    ['FAIL and label of none', list(`state=FAIL&${nobody}`)],
    ['FAIL and label that no failed play has', list(`state=FAIL&${eu}`)],
    ['DONE and label of most', list(`state=DONE&${eu}`)],
    ['error code of a flow that never failed', list(`errorCode=${error}&flowId=${rare}`)],
    ['error code and label', list(`errorCode=${error}&${eu}`)],
    ['DONE and error code (none)', list(`state=DONE&errorCode=${error}`)],
    ['schedule of a flow with few', list(`trigger=schedule&flowId=${rare}`)],
    ['schedule and FAIL (none)', list('trigger=schedule&state=FAIL')],
    ['schedule and label (none)', list(`trigger=schedule&${eu}`)],
    ['api and FAIL', list('trigger=api&state=FAIL')],
    ['two labels, one of none', list(`${eu}&${nobody}`)],
    ['label of a flow with few', list(`${eu}&flowId=${rare}`)],
    ['keys and label (none)', list(`idempotencyKeyPrefix=a&${eu}`)],
    ['keys and FAIL (none)', list('idempotencyKeyPrefix=a&state=FAIL')],
    ['mended of a flow', list(`mended=true&flowId=${flow}`)],
    ['not mended, FAIL', list('mended=false&state=FAIL')],
    ['by end, FAIL', list('sort=completedAt&state=FAIL')],
    ['by end, a flow with few', list(`sort=completedAt&flowId=${rare}`)],
    ['by end, FAIL of a flow that never failed', list(`sort=completedAt&state=FAIL&flowId=${rare}`)],
    ['by end, label of none', list(`sort=completedAt&${nobody}`)],
    ['DONE of the last hour, a flow with few', list(`state=DONE&flowId=${rare}&${window}`)],
    ['counts', counts('')],
    ['counts of the last hour', counts(window)],
    ['counts by end of the last hour', counts(ended)],
    ['counts of a flow', counts(`flowId=${flow}`)],
    ['counts of a label', counts(eu)],
    ['counts of a label of none', counts(nobody)],
    ['counts of an error code', counts(`errorCode=${error}`)],
    ['counts, mended', counts('mended=true')],
    ['counts, keys and label', counts(`idempotencyKeyPrefix=a&${eu}`)],
    ['a play', `/api/v1/plays/${play}`],
    ['its layers', `/api/v1/plays/${play}/layers`],
    ['its events', `/api/v1/plays/${play}/events`],
    ['its waiting', `/api/v1/plays/${play}/waiting`],
    ['flows', '/api/v1/flows?size=50'],
    ['overview', '/api/v1/analytics/overview?window=7d'],
    ['figures of flows', '/api/v1/analytics/flows?window=7d'],
    ['figures of one flow', `/api/v1/analytics/flows/${flow}?window=7d`],
    ['approvals', '/api/v1/approvals'],
    ['lane', '/api/v1/lanes/nothing'],
    ['destinations', '/api/v1/destinations'],
    ['queue', '/api/v1/admin/queue'],
    ['processes', '/api/v1/admin/processes'],
    ['retention: figures', '/api/v1/admin/retention-policies/stats'],
    ['retention: preview', '/api/v1/admin/retention-policies/preview'],
    ['jobs', '/api/v1/admin/jobs'],
    ['audit', '/api/v1/audit?limit=50'],
    ['bulk operations', '/api/v1/bulk'],
    // the first reader starts the feed, which then takes over what is stored in the background
    ['changes', '/api/v1/changes?cursor=start'],
  ];
}
