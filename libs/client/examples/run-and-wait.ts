// Runs a flow and waits for its end. Run: WEFT_URL=… WEFT_TOKEN=… node run-and-wait.ts <flow id> '{"order":1042}'
import { isWeftError, WaitTimeout, Weft } from '@weft/client';

const [flowId = '', args = '{}'] = process.argv.slice(2);
const weft = new Weft({ url: process.env.WEFT_URL, token: process.env.WEFT_TOKEN });

try {
  const { playId, state, out, error } = await weft.runAndWait(
    flowId,
    { args: JSON.parse(args) as Record<string, unknown> },
    { timeoutMs: 60_000 },
  );
  console.log(playId, state, JSON.stringify(error ?? out));
} catch (error) {
  if (error instanceof WaitTimeout)
    console.log(error.playId, 'goes on'); // weft.plays.wait(error.playId) waits again
  else if (isWeftError(error, 'not_found')) console.log('there is no such flow');
  else if (isWeftError(error, 'flow_disabled')) console.log('the flow is disabled');
  else throw error;
}
