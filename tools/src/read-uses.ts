import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { batchSubject } from '@herald/contracts/batch'
import type { AppName } from '@herald/contracts/call'
import { parseSync, Visitor } from 'oxc-parser'
import { z } from 'zod'
import { root } from './workspace.ts'

/** The subjects and durable consumers that a service uses, each once and sorted. */
export type FoundUses = { asks: string[]; answers: string[]; tells: string[]; hears: string[]; stores: string[]; reads: string[] }

type Found = { [Kind in keyof FoundUses]: Set<string> }

const Contract = z.object({ subject: z.string(), timeoutMs: z.number().optional(), durable: z.string().optional() })
/** The modules of contracts that export calls, broadcasts, consumers or subjects. */
const modules = /^@herald\/contracts\/(calls\/[a-z]+|topology|batch)$/

/**
 * Finds what a service does on NATS by the contracts that it imports: it answers its own calls and makes others'. The function that gets a broadcast
 * tells sending from listening; a file that consumes reads its consumers.
 */
export async function readUses(app: AppName): Promise<FoundUses> {
  const directory = join(root, 'apps', app, 'src')
  const files = globSync('**/*.ts', { cwd: directory }).filter((file) => !/\.test\.ts$|^testing\//.test(file))
  const found: Found = { asks: new Set(), answers: new Set(), tells: new Set(), hears: new Set(), stores: new Set(), reads: new Set() }
  for (const file of files) await readFile(app, file, readFileSync(join(directory, file), 'utf8'), found)
  const listed = Object.entries(found).map(([kind, names]) => [kind, [...names].toSorted()])
  return Object.fromEntries(listed) as FoundUses
}

async function readFile(app: AppName, file: string, source: string, found: Found): Promise<void> {
  const { module, program } = parseSync(file, source)
  /** What each imported name of this file stands for: a contract, a list of contracts, a table of subjects, or a module. */
  const values = new Map<string, unknown>()
  for (const { moduleRequest, entries } of module.staticImports) {
    if (!modules.test(moduleRequest.value)) continue
    const path = join(root, 'libs/contracts/src', `${moduleRequest.value.replace('@herald/contracts/', '')}.ts`)
    const exported = (await import(pathToFileURL(path).href)) as Record<string, unknown>
    for (const { isType, importName, localName } of entries)
      if (!isType) values.set(localName.value, importName.name === null ? exported : exported[importName.name])
  }
  if (values.size === 0) return

  const members: unknown[] = []
  const methods = new Set<string>()
  new Visitor({
    CallExpression({ callee, arguments: [first] }) {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return
      const { name } = callee.property
      methods.add(name)
      const contract = Contract.safeParse(first?.type === 'Identifier' ? values.get(first.name) : undefined).data
      if (name === 'broadcast' && contract) found.tells.add(contract.subject)
      if (name === 'listen' && contract) found.hears.add(contract.subject)
    },
    MemberExpression({ object, property }) {
      const value = object.type === 'Identifier' ? values.get(object.name) : undefined
      if (typeof value === 'object' && value !== null && property.type === 'Identifier')
        members.push((value as Record<string, unknown>)[property.name])
    },
  }).visit(program)

  for (const value of [...values.values(), ...members].flat()) {
    if (value === batchSubject) found.stores.add('work.push.<platform>.<lane>')
    if (typeof value === 'string' && value.startsWith('event.')) found.stores.add(value)
    const { subject, timeoutMs, durable } = Contract.safeParse(value).data ?? { subject: '' }
    if (timeoutMs !== undefined) found[subject.startsWith(`rpc.${app}.`) ? 'answers' : 'asks'].add(subject)
    if (durable !== undefined && methods.has('consume')) found.reads.add(durable)
    if (durable !== undefined && methods.has('publish')) found.stores.add(subject)
  }
}
