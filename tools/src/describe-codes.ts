import { remedies } from '@herald/contracts/code-meanings'
import { faultStatus, type FaultCode } from '@herald/contracts/fault'
import { failureCodes, skipReasons, type FailureCode, type SkipReason } from '@herald/contracts/outcome'

/** Writes the guide's page of codes from the table that the dashboard shows. */
export async function describeCodes(): Promise<string> {
  return [
    '# Codes and remedies',
    '',
    'Written by `npm run docs` from `libs/contracts/src/code-meanings.ts`; do not edit. The dashboard says the same beside each number.',
    '',
    '## Why a push failed',
    '',
    'In webhooks `data.code`, in the log and in the delivery check. `providerCode` beside it is the provider’s own word.',
    '',
    ...table(failureCodes),
    '',
    '## Why a push was skipped',
    '',
    'In webhooks `data.reason`. Most skips follow from a rule or from what a person did, and ask for nothing.',
    '',
    ...table(skipReasons),
    '',
    '## Why a request was refused',
    '',
    'The `code` of an error. `details` names each wrong field, and `x-request-id` finds the request in the logs.',
    '',
    '| status | codes |',
    '| --- | --- |',
    ...[...codesByStatus()].map(([status, codes]) => `| ${status} | ${codes.map((code) => `\`${code}\``).join(', ')} |`),
    '',
    '- **401 and 403** are about the key: [server](server.md).',
    '- **409 `idempotency_in_progress`**: the same request is being answered right now; ask again in a second.',
    '- **422** is about the body; nothing was done.',
    '- **429** and **503** pass: wait as long as `Retry-After` says. The SDKs of devices wait up to 4 seconds in a call and try again later; that of Node up to 60 seconds.',
    '',
    'Each rule: [errors](../specification/limits.md#errors), [answers of providers](../specification/providers.md).',
    '',
  ].join('\n')
}

const table = (codes: readonly (FailureCode | SkipReason)[]): string[] => [
  '| code | what it means | what Herald does | what you do |',
  '| --- | --- | --- | --- |',
  ...codes.map((code) => {
    const { means, byItself, todo } = remedies[code]
    return `| \`${code}\` | ${means} | ${byItself} | ${todo ?? 'Nothing.'} |`
  }),
]

function codesByStatus(): Map<number, FaultCode[]> {
  const all = new Map<number, FaultCode[]>()
  const entries = Object.entries(faultStatus) as [FaultCode, number][]
  for (const [code, status] of entries.toSorted(([, one], [, other]) => one - other)) all.set(status, [...(all.get(status) ?? []), code])
  return all
}
