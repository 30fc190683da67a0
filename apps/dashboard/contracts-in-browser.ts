import type { Plugin } from 'vite'

/**
 * Modules of the contracts that pages may import. They need nothing of Node but what `src/browser` replaces. Whoever adds a module says by
 * it that it runs in a browser too; results that operators rely on are tested in `src/browser/parity.test.ts`.
 */
export const allowedContracts: ReadonlySet<string> = new Set([
  'address',
  'app',
  'batch',
  'campaign',
  'content',
  'destination-form',
  'dry-run',
  'explain',
  'fault',
  'grapheme',
  'ids',
  'local-time',
  'notification',
  'occurrences',
  'outcome',
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
  'stats',
  'target',
  'template',
  'test-send',
  'text',
  'validate',
  'webhook-event',
  'zone-aliases',
  'zone-clock',
  'zone-offset',
])

const contractsModule = /\/libs\/contracts\/src\/([^?]+)\.ts(?:\?.*)?$/

/** The address of this file: the build may run it from a bundle of its configuration. */
const standInFor = (name: 'buffer' | 'crypto' | 'zod-without-eval', folder: string) => `${folder}/${name}.ts`

/**
 * Lets pages use the platform's own rules (docs/decisions/0054): Node's `Buffer` and `node:crypto` are replaced by stand-ins, and a module that is
 * not on the list ends the build. `folder`: where the stand-ins lie.
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
      // Added after the last line, so that line numbers stay the same; imports are hoisted anyway.
      const added = [
        /\bBuffer\./.test(code) ? `import { Buffer } from ${JSON.stringify(standInFor('buffer', folder))}` : '',
        /from 'zod'/.test(code) ? `import ${JSON.stringify(standInFor('zod-without-eval', folder))}` : '',
      ].filter((line) => line !== '')
      return added.length === 0 ? undefined : { code: `${code}\n${added.join('\n')}\n`, map: null }
    },
  }
}
