import { catalogue, errorCodes } from './catalogue.ts'

/** docs/errors.md, written from the catalogue. `npm run generate` writes it. */
export function errorsDocument(): string {
  const rows = Object.entries(catalogue).map(
    ([id, { status, code, errorCode, message, condition }]) =>
      `| ${id} | ${status} | ${code} | ${errorCode ?? ''} | ${message.replaceAll('|', '\\|')} | ${condition} |`,
  )
  return `# Errors

<!-- Written from contract/src/errors/catalogue.ts: change that, then \`npm run generate\`. -->

There are two channels. Clients check both: an answer can hold partial \`data\` and \`errors\` together.

## In the payload of a mutation

What is wrong with the **input** comes back in the payload's \`errors\`, all of it at once, with status 200; the record is null.

\`\`\`json
{ "data": { "createProduct": { "product": null, "errors": [
  { "field": "price", "message": "Value 0 is outside acceptable range 1-9007199254740991", "code": "INVALID_VALUE" },
  { "field": "variants.0.sku", "message": "A record with sku=TEE-1 already exists", "code": "ALREADY_EXISTS" } ] } } }
\`\`\`

\`field\` is the path within the input, with dots. \`code\` is a value of \`ErrorCode\`:
${errorCodes.map((code) => `\`${code}\``).join(', ')}.

## At the top level

What is wrong with the **request**, or with the state of the world, is in the answer's \`errors\`.

\`\`\`json
{ "errors": [ { "message": "Field input.sku is required but was not provided", "extensions": {
  "code": "BAD_USER_INPUT", "id": "SVC_VAL_001", "errorCode": "REQUIRED_FIELD", "statusCode": 400,
  "requestId": "0f7c…", "timestamp": "2026-01-31T09:30:00.000Z",
  "details": { "field": "input.sku", "reason": "Field input.sku is required but was not provided" } } } ] }
\`\`\`

- \`extensions.id\` is the condition in the table below. \`extensions.code\` is the class of it, by HTTP status.
  \`extensions.errorCode\` is its name in \`ErrorCode\`, where it has one.
- \`extensions.statusCode\` is the HTTP status that this error stands for. The answer itself has status 200 when a root field
  succeeded beside it, else the status of the first error.
- \`extensions.requestId\` is also in the header \`x-request-id\`: quote it to support. Send the header to choose it.
- \`extensions.details\` has \`reason\`, \`field\` (null where no single one is at fault), and what the condition knows besides:
  \`available\` and \`requested\` for SVC_BIZ_001, \`code\`, \`message\` and \`declineCode\` for SVC_BIZ_002, \`orderId\` and
  \`status\` for SVC_BIZ_003.
- The field that failed is null in \`data\`, and \`path\` says which one it is. A request that is refused as a whole has no \`data\`.

| Id | HTTP | extensions.code | ErrorCode | Message | When |
|---|---|---|---|---|---|
${rows.join('\n')}

HTTP has statuses of its own for what is wrong with a request as such; they come with the id that fits best: 404 (another
path), 405 (not a POST), 408 (too slow), 415 (not JSON), 417 (an unknown
expectation), 431 (headers too large). 503 stands in for 500 in SVC_SRV_001 when
waiting helps: a part is away, or the request took too long and was cancelled. 429, 500, 502, 503 and 504 may be retried.
`
}
