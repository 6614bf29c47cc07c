"""Calls Weft by the client that openapi-python-client has made of its description: tools/api/check-clients.mjs."""

import os
from io import BytesIO

from weft_client import AuthenticatedClient, Client
from weft_client.api.files import payloads_download, payloads_upload
from weft_client.api.flows import flows_create, flows_list, flows_read
from weft_client.api.plays import plays_list, plays_read_layers
from weft_client.api.runs import run_run
from weft_client.api.triggers import hooks_deliver, triggers_create, triggers_list
from weft_client.models import (
    CreateFlowBody,
    CreateTriggerBody,
    EndedRunAnswer,
    FlowLayerBody,
    FlowLayerBodyArgs,
    PlaysListStateItem,
    Problem,
    RunAnswer,
    RunBody,
    RunBodyArgs,
    VerifierBody,
    VerifierBodyType,
)
from weft_client.types import File

URL = os.environ["WEFT_URL"]
weft = AuthenticatedClient(base_url=URL, token=os.environ["WEFT_TOKEN"])

# a flow, found in a list that is read page by page
greet = FlowLayerBody(
    ref="greet",
    app_id="text-template",
    args=FlowLayerBodyArgs.from_dict({"template": "Hello {{ $prev.args.name }}!"}),
)
flows = [
    flows_create.sync(client=weft, body=CreateFlowBody(name=f"python {n}", category="python", layers=[greet]))
    for n in range(3)
]
found, cursor = [], None
while True:
    page = flows_list.sync(client=weft, category="python", size=2, **({"cursor": cursor} if cursor else {}))
    found += [flow.id for flow in page.items]
    cursor = page.next_cursor
    if cursor is None:
        break
assert found == [flow.id for flow in reversed(flows)], found
flow = flows_read.sync(flows[0].id, client=weft)
assert flow.layers[0].ref == "greet", flow

# a run, and the same run again
body = RunBody(args=RunBodyArgs.from_dict({"name": "Python"}), wait=20_000)
ended = run_run.sync(flow.id, client=weft, body=body, idempotency_key="python-1")
assert isinstance(ended, EndedRunAnswer) and ended.out == {"text": "Hello Python!"}, ended
again = run_run.sync_detailed(flow.id, client=weft, body=body, idempotency_key="python-1")
assert again.parsed.play_id == ended.play_id and again.headers["idempotency-replayed"] == "true", again

# the list of plays, and of the layers of one
done = plays_list.sync(client=weft, flow_id=flow.id, state=[PlaysListStateItem.DONE, PlaysListStateItem.FAIL])
assert [play.id for play in done.items] == [ended.play_id] and done.total == 1, done
assert plays_read_layers.sync(ended.play_id, client=weft)[0].out == {"text": "Hello Python!"}

# a trigger, and a delivery to its address
verifier = VerifierBody(type_=VerifierBodyType.TOKEN, header="x-shop", token="token-of-the-shop")
made = triggers_create.sync(flow.id, client=weft, body=CreateTriggerBody(name="shop", verifier=verifier))
assert [trigger.id for trigger in triggers_list.sync(flow.id, client=weft).items] == [made.id]
shop = Client(base_url=URL, headers={"x-shop": "token-of-the-shop"})
taken = hooks_deliver.sync(made.url.rsplit("/", 1)[1], client=shop, body=File(payload=BytesIO(b'{"order":1}')))
assert isinstance(taken, RunAnswer), taken
refused = hooks_deliver.sync_detailed(made.url.rsplit("/", 1)[1], client=Client(base_url=URL))
assert refused.status_code == 401 and refused.parsed.code == "unauthenticated", refused

# a file, there and back
content = bytes(range(256))
upload = payloads_upload.sync(client=weft, body=File(payload=BytesIO(content)), filename="all.bin")
assert upload.bytes_ == 256, upload
assert payloads_download.sync(upload.ref.rsplit("/", 1)[1], client=weft).payload.read() == content

# refusals
missing = run_run.sync("nothing", client=weft, body=RunBody())
assert isinstance(missing, Problem) and (missing.status, missing.code) == (404, "not_found"), missing
stranger = flows_list.sync(client=AuthenticatedClient(base_url=URL, token="not-a-token"))
assert isinstance(stranger, Problem) and stranger.code == "token_invalid", stranger
