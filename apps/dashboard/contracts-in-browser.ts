import type { Plugin } from 'vite'

/**
 * The modules of libs/contracts that pages may import. They use nothing of Node except what `src/browser` replaces. `src/browser/parity.test.ts`
 * tests texts, payloads, segments and recurrences: they answer there as they do in Node.
 */
export const allowedContracts: ReadonlySet<string> = new Set([
  'address',
  'app',
  'batch',
  'campaign',
  'content',
  'conversion',
  'destination-form',
  'dry-run',
  'experiment-metrics',
  'explain',
  'fault',
  'grapheme',
  'ids',
  'late-minutes',
  'local-moment',
  'local-time',
  'merge-patch',
  'notification',
  'occurrences',
  'outcome',
  'overrides',
  'payload',
  'payload-shape',
  'placeholder',
  'placeholder-date',
  'placeholder-filter',
  'placeholder-syntax',
  'platform',
  'push-identity',
  'push-subject',
  'quiet-hours',
  'code-meanings',
  'remedies',
  'render-entry',
  'saved-segment',
  'segment',
  'segment-cost',
  'segment-definition',
  'segment-match',
  'segment-tree',
  'send-fields',
  'span-of',
  'stats',
  'target',
  'template',
  'test-send',
  'text',
  'validate',
  'webhook-event',
  'zone-aliases',
  'zone-offset',
])

const contractsModule = /\/libs\/contracts\/src\/([^?]+)\.ts(?:\?.*)?$/

/** The folder is a parameter, because a build may run a bundled copy of this file from another place. */
const standInFor = (name: 'buffer' | 'crypto' | 'zod-without-eval', folder: string) => `${folder}/${name}.ts`

/**
 * A Vite plugin with which pages use Herald's own rules (docs/decisions/0052). The plugin replaces Node's `Buffer` and `node:crypto` by the files in
 * `folder`, and ends the build when a page imports a module that is not in `allowedContracts`.
 */
export function contractsInBrowser(folder: string): Plugin {
  return {
    name: 'contracts-in-browser',
    enforce: 'pre',
    resolveId(source, importer) {
      if (!source.startsWith('node:') || importer === undefined || !contractsModule.test(importer)) return undefined
      if (source === 'node:crypto') return standInFor('crypto', folder)
      throw new Error(`${importer} needs ${source}, which no browser has`)
    },
    transform(code, id) {
      const [, name] = contractsModule.exec(id) ?? []
      if (name === undefined) return undefined
      if (!allowedContracts.has(name)) {
        throw new Error(
          `@herald/contracts/${name} is not for pages. If it needs nothing of Node, add it to the list in apps/dashboard/contracts-in-browser.ts`,
        )
      }
      // The imports go after the last line, so that line numbers stay the same. JavaScript runs imports first wherever they are.
      const added = [
        /\bBuffer\./.test(code) ? `import { Buffer } from ${JSON.stringify(standInFor('buffer', folder))}` : '',
        /from 'zod'/.test(code) ? `import ${JSON.stringify(standInFor('zod-without-eval', folder))}` : '',
      ].filter((line) => line !== '')
      return added.length === 0 ? undefined : { code: `${code}\n${added.join('\n')}\n`, map: null }
    },
  }
}
