import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fetchTypes } from './fetch.ts'

const root = resolve(import.meta.dirname, '../..')

type Typed = { apiVersion: string; kind: string; spec: object }

/** Checks values against the types of Kubernetes: TypeScript refuses an unknown field of a literal. Gives what TypeScript says, nothing when all is right. */
export function checkTypes(manifests: readonly Typed[]): string {
  const folder = fetchTypes()
  writeFileSync(join(folder, 'manifests.ts'), [preamble, ...manifests.map(sourceOf)].join('\n'))
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'esnext', 'manifests.ts']
  const { status, stdout, stderr } = spawnSync(join(root, 'node_modules/.bin/tsc'), options, { cwd: folder, encoding: 'utf8' })
  return status === 0 ? '' : stdout + stderr || `tsc ended with ${status}`
}

function sourceOf(manifest: Typed, no: number): string {
  const { apiVersion, kind, spec } = manifest
  // The types of Cluster are cdk8s': a name's capitals are its own (postInitSql), and metadata are not in them.
  if (apiVersion === 'postgresql.cnpg.io/v1')
    return `export const of${no} = ${JSON.stringify(spec).replace('"postInitSQL"', '"postInitSql"')} satisfies Plain<I${kind}Spec>`
  const module = apiVersion.startsWith('monitoring.coreos.com/')
    ? '@kubernetes-models/prometheus-operator'
    : apiVersion.startsWith('keda.sh/')
      ? '@kubernetes-models/keda'
      : 'kubernetes-models'
  return [
    `import type { I${kind} as T${no} } from '${module}/${apiVersion}/${kind}'`,
    `export const of${no} = ${JSON.stringify(manifest)} satisfies T${no}`,
  ].join('\n')
}

/** `Plain` makes of cdk8s' types those of JSON: an enum is its texts, and an object that holds a number or a text is that. */
const preamble = `// Written by e2e/charts.
import type { ClusterSpec as IClusterSpec } from '@cdk8s-kit/crds/pg'
declare module '@cdk8s-kit/crds/pg' {
  // CloudNativePG has it from 1.28, and the package does not.
  interface ClusterSpecPostgresqlSynchronous { readonly failoverQuorum?: boolean }
}
type Wrapped = { readonly value: number | string }
type Plain<T> = T extends string ? \`\${T}\` : T extends Wrapped ? (Wrapped extends T ? number | string : Each<T>) : T extends object ? Each<T> : T
type Each<T> = { [Key in keyof T]: Plain<T[Key]> }
`
