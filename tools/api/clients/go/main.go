// Calls Weft by the client that oapi-codegen has made of its description: tools/api/check-clients.mjs.
package main

import (
	"bytes"
	"context"
	"log"
	"net/http"
	"os"
	"slices"
	"strings"

	"weft.example/call/weft"
)

var (
	ctx    = context.Background()
	url    = os.Getenv("WEFT_URL")
	client = must(weft.NewClientWithResponses(url, header("Authorization", "Bearer "+os.Getenv("WEFT_TOKEN"))))
)

func main() {
	id := flows()
	play := run(id)
	lists(id, play)
	trigger(id)
	file()
	refusals()
}

// A flow, found in a list that is read page by page.
func flows() string {
	category, size := "go", 2
	layers := []weft.FlowLayerBody{{
		Ref: "greet", AppId: "text-template", Args: &map[string]any{"template": "Hello {{ $prev.args.name }}!"},
	}}
	var made, found []string
	for _, name := range []string{"go 0", "go 1", "go 2"} {
		flow := must(client.FlowsCreateWithResponse(ctx, weft.CreateFlowBody{Name: name, Category: &category, Layers: &layers}))
		check(flow.JSON201 != nil, string(flow.Body))
		made = append(made, flow.JSON201.Id)
	}
	for cursor := (*string)(nil); ; {
		page := must(client.FlowsListWithResponse(ctx, &weft.FlowsListParams{Category: &category, Size: &size, Cursor: cursor}))
		check(page.JSON200 != nil, string(page.Body))
		for _, flow := range page.JSON200.Items {
			found = append(found, flow.Id)
		}
		if cursor = page.JSON200.NextCursor; cursor == nil {
			break
		}
	}
	slices.Reverse(found)
	check(slices.Equal(found, made), found)
	flow := must(client.FlowsReadWithResponse(ctx, made[0]))
	check((*flow.JSON200.Layers)[0].Ref == "greet", string(flow.Body))
	return made[0]
}

// A run, and the same run again.
func run(id string) string {
	key, wait := "go-1", 20_000
	body := weft.RunBody{Args: &map[string]any{"name": "Go"}, Wait: &wait}
	ended := must(client.RunRunWithResponse(ctx, id, &weft.RunRunParams{IdempotencyKey: &key}, body))
	check(ended.JSON200 != nil && text(ended.JSON200.Out) == "Hello Go!", string(ended.Body))
	again := must(client.RunRunWithResponse(ctx, id, &weft.RunRunParams{IdempotencyKey: &key}, body))
	check(again.JSON200.PlayId == ended.JSON200.PlayId, string(again.Body))
	check(again.HTTPResponse.Header.Get("Idempotency-Replayed") == "true", again.HTTPResponse.Header)
	return ended.JSON200.PlayId
}

// The list of plays, and of the layers of one.
func lists(id, play string) {
	states := []weft.PlaysListParamsState{"DONE", "FAIL"}
	done := must(client.PlaysListWithResponse(ctx, &weft.PlaysListParams{FlowId: &id, State: &states}))
	check(done.JSON200 != nil && done.JSON200.Total == 1 && done.JSON200.Items[0].Id == play, string(done.Body))
	layers := must(client.PlaysReadLayersWithResponse(ctx, play))
	check(text((*layers.JSON200)[0].Out) == "Hello Go!", string(layers.Body))
}

// A trigger, and a delivery to its address.
func trigger(id string) {
	name, token := "x-shop", "token-of-the-shop"
	verifier := weft.VerifierBody{Type: weft.VerifierBodyTypeToken, Header: &name, Token: &token}
	made := must(client.TriggersCreateWithResponse(ctx, id, weft.CreateTriggerBody{Name: "shop", Verifier: &verifier}))
	check(made.JSON201 != nil && made.JSON201.Url != nil, string(made.Body))
	list := must(client.TriggersListWithResponse(ctx, id, &weft.TriggersListParams{}))
	check(len(list.JSON200.Items) == 1 && list.JSON200.Items[0].Id == made.JSON201.Id, string(list.Body))
	address := (*made.JSON201.Url)[strings.LastIndex(*made.JSON201.Url, "/")+1:]
	stranger := must(weft.NewClientWithResponses(url))
	order := strings.NewReader(`{"order":1}`)
	shop := must(weft.NewClientWithResponses(url, header(name, token)))
	taken := must(shop.HooksDeliverWithBodyWithResponse(ctx, address, "application/json", order))
	check(taken.JSON202 != nil && must(taken.JSON202.AsRunAnswer()).PlayId != "", string(taken.Body))
	refused := must(stranger.HooksDeliverWithBodyWithResponse(ctx, address, "application/json", order))
	check(refused.ApplicationproblemJSON401.Code == "unauthenticated", string(refused.Body))
}

// A file, there and back.
func file() {
	content := make([]byte, 256)
	for n := range content {
		content[n] = byte(n)
	}
	name := "all.bin"
	params := weft.PayloadsUploadParams{Filename: &name}
	upload := must(client.PayloadsUploadWithBodyWithResponse(ctx, &params, "application/octet-stream", bytes.NewReader(content)))
	check(upload.JSON201 != nil && upload.JSON201.Bytes == 256, string(upload.Body))
	ref := upload.JSON201.Ref
	download := must(client.PayloadsDownloadWithResponse(ctx, ref[strings.LastIndex(ref, "/")+1:]))
	check(bytes.Equal(download.Body, content), download.Status())
}

func refusals() {
	missing := must(client.RunRunWithResponse(ctx, "nothing", &weft.RunRunParams{}, weft.RunBody{}))
	check(missing.ApplicationproblemJSON404.Code == "not_found", string(missing.Body))
	stranger := must(weft.NewClientWithResponses(url, header("Authorization", "Bearer not-a-token")))
	unknown := must(stranger.FlowsListWithResponse(ctx, &weft.FlowsListParams{}))
	check(unknown.ApplicationproblemJSON401.Code == "token_invalid", string(unknown.Body))
}

func header(name, value string) weft.ClientOption {
	return weft.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set(name, value)
		return nil
	})
}

func text(out any) any {
	fields, _ := out.(map[string]any)
	return fields["text"]
}

func check(holds bool, seen any) {
	if !holds {
		log.Panicf("not as described: %v", seen)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Panic(err)
	}
	return value
}
