import { HeraldError } from '@herald/node'
import { printable } from './printable.ts'

/** Gives the lines that say what failed, which fields are wrong, and what to do. No line has a control character. */
export function linesOfError(error: unknown): string[] {
  if (!(error instanceof HeraldError)) return [printable(error instanceof Error ? error.message : String(error))]
  const { code, message, details, requestId } = error
  const remedy = code === 'forbidden' ? remedyOfScope(message) : remedies[code]
  return [
    `${printable(message)} (${printable(code)}${requestId === undefined ? '' : `, request ${requestId}`})`,
    ...details.map((detail) => `  ${printable(detail.path)}: ${printable(detail.message)}`),
    ...(remedy === undefined ? [] : [remedy]),
  ]
}

const remedies: Readonly<Record<string, string>> = {
  unauthorized: 'Herald does not take the token. Run `herald login`, or set HERALD_TOKEN.',
  network_error: 'Is Herald running at this address? `herald doctor` looks.',
  timeout: 'Herald was too slow. `herald doctor` looks at it.',
}

/** Says what to do when Herald refuses a key. Its message names the scope that the key lacks. */
function remedyOfScope(message: string): string {
  const scope = /\bscope ([a-z:]+)/.exec(message)?.[1]
  if (scope === 'platform') return 'No key opens this: it needs the administration token. Run `herald login` with it.'
  const wanted = scope === undefined ? 'what this needs' : `the scope ${scope}`
  return `Make a key that has ${wanted} too (dashboard, Keys), and run \`herald login\` with it or set HERALD_TOKEN. \`herald whoami\` shows what this one has.`
}
