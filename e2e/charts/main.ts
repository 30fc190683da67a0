// `npm run test:charts`: lints and renders deploy/helm/herald with five files of values, and checks what comes out: the types and names of all fields, the
// settings of the services, who may reach whom, and that wrong combinations are refused. No API server is asked: there is none on such a machine.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { apps } from '@herald/contracts/call'
import { parseAllDocuments } from 'yaml'
import { fetchTypes, findHelm } from './fetch.ts'

const root = resolve(import.meta.dirname, '../..')
const chart = join(root, 'deploy/helm/herald')
const helm = findHelm()
const failed: string[] = []
const check = (what: string, isRight: boolean, found: unknown = '') => {
  console.log(`${isRight ? 'good' : 'bad '} ${what}${isRight ? '' : `: ${typeof found === 'string' ? found : JSON.stringify(found)}`}`)
  if (!isRight) failed.push(what)
}

type Named = { name: string; value?: string }
type Rule = { ports?: { port: number | string }[]; from?: unknown[]; to?: unknown[] }
type Manifest = {
  apiVersion: string
  kind: string
  metadata: { name: string; labels: Record<string, string> }
  spec: {
    template?: { spec: { containers: { env?: Named[]; ports?: { name: string }[] }[] } }
    ingress?: Rule[]
    egress?: Rule[]
    replicas?: number
    minReplicas?: number
  }
}

const render = (...args: string[]) => spawnSync(helm, ['template', 'herald', chart, ...args], { encoding: 'utf8' })
const serviceOf = ({ metadata }: Manifest): string => metadata.labels['app.kubernetes.io/component'] ?? ''

const rendered = new Map<string, Manifest[]>()
for (const file of globSync('ci/*.yaml', { cwd: chart }).toSorted()) {
  const values = join(chart, file)
  const lint = spawnSync(helm, ['lint', '--strict', '-f', values, chart], { encoding: 'utf8' })
  check(`${file} passes helm lint --strict`, lint.status === 0, lint.stdout)
  const { status, stdout, stderr } = render('-f', values)
  check(`${file} is rendered`, status === 0, stderr)
  rendered.set(
    basename(file, '.yaml'),
    parseAllDocuments(stdout)
      .map((document) => document.toJS() as Manifest)
      .filter(Boolean),
  )
}
check('there are five files of values', rendered.size === 5, rendered.size)

checkTypes()
checkSettings()
checkPolicies()
checkRefusals()
console.log(failed.length === 0 ? '\ncharts: all good' : `\ncharts: ${failed.length} bad`)
process.exitCode = failed.length === 0 ? 0 : 1

/** Every object is of its type, and has no field that the type has not: TypeScript refuses unknown fields of a literal. */
function checkTypes(): void {
  const folder = fetchTypes()
  const source: string[] = ['// Written by e2e/charts.']
  let no = 0
  for (const [name, manifests] of rendered)
    for (const manifest of manifests) {
      const module = manifest.apiVersion.startsWith('monitoring.coreos.com/')
        ? '@kubernetes-models/prometheus-operator'
        : 'kubernetes-models'
      no += 1
      source.push(`import type { I${manifest.kind} as T${no} } from '${module}/${manifest.apiVersion}/${manifest.kind}'`)
      source.push(`export const of${no} = ${JSON.stringify(manifest)} satisfies T${no} // ${name} ${manifest.metadata.name}`)
    }
  writeFileSync(join(folder, 'manifests.ts'), `${source.join('\n')}\n`)
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'esnext', 'manifests.ts']
  const types = () => spawnSync(join(root, 'node_modules/.bin/tsc'), options, { cwd: folder, encoding: 'utf8' })
  const { status, stdout } = types()
  check(`${no} objects have the types of Kubernetes and no unknown field`, status === 0 && no > 100, stdout.slice(0, 2_000))

  const wrong = JSON.stringify(rendered.get('small')?.find(({ kind }) => kind === 'Deployment')).replace(
    '"terminationGracePeriodSeconds"',
    '"terminationGraceSeconds"',
  )
  writeFileSync(
    join(folder, 'manifests.ts'),
    `import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment'\nexport const wrong = ${wrong} satisfies IDeployment\n`,
  )
  check('a field that does not exist is found', types().stdout.includes('terminationGraceSeconds'))
}

/** Every variable that a pod gets is a setting of its service, as docs/configuration.md lists them. */
function checkSettings(): void {
  const sections = readFileSync(join(root, 'docs/configuration.md'), 'utf8').split(/^## /m)
  const listed = (section: string) => sections.find((text) => text.startsWith(`${section}\n`)) ?? ''
  const ofNode = ['NODE_OPTIONS', 'HTTPS_PROXY', 'NO_PROXY']
  for (const [name, manifests] of rendered) {
    const unknown = manifests
      .filter(({ kind }) => kind === 'Deployment')
      .flatMap((manifest) =>
        (manifest.spec.template?.spec.containers ?? [])
          .flatMap(({ env = [] }) => env.map((one) => one.name))
          .filter((variable) => !ofNode.includes(variable))
          .filter((variable) => ![listed('Every service'), listed(serviceOf(manifest))].some((text) => text.includes(`\`${variable}\``)))
          .map((variable) => `${serviceOf(manifest)} ${variable}`),
      )
    check(`${name}: every variable is a setting of its service`, unknown.length === 0, unknown)
    const services = manifests.filter(({ kind }) => kind === 'Deployment').map(serviceOf)
    check(
      `${name}: there is a Deployment for each service`,
      apps.every((app) => services.includes(app)) && services.length === apps.length,
      services,
    )
  }
}

/** Who may reach whom, as the policies say. */
function checkPolicies(): void {
  const policies = new Map(
    (rendered.get('cluster') ?? []).filter(({ kind }) => kind === 'NetworkPolicy').map((policy) => [serviceOf(policy), policy.spec]),
  )
  const portsOf = (rules: Rule[] = []) =>
    rules.flatMap(({ ports = [] }) => ports.map(({ port }) => port)).toSorted((one, other) => String(one).localeCompare(String(other)))
  const expected: Record<string, { in: unknown[]; out: unknown[] }> = {
    gateway: { in: ['http', 'observe'], out: [4222, 443, 53, 53, 5432] },
    audience: { in: ['observe'], out: [4222, 53, 53, 5432] },
    campaigns: { in: ['observe'], out: [4222, 53, 53, 5432] },
    dispatcher: { in: ['observe'], out: [2197, 4222, 443, 53, 53] },
    tracker: { in: ['observe'], out: [4222, 53, 53, 5432] },
    webhooks: { in: ['observe'], out: [4222, 443, 53, 53, 5432] },
    migrate: { in: [], out: [53, 53, 5432] },
  }
  for (const [service, { in: from, out }] of Object.entries(expected)) {
    const spec = policies.get(service)
    const found = { in: portsOf(spec?.ingress), out: portsOf(spec?.egress) }
    check(`${service} is reached and reaches what it should`, JSON.stringify(found) === JSON.stringify({ in: from, out }), found)
    const open = [...(spec?.ingress ?? []), ...(spec?.egress ?? []).filter(({ ports }) => ports?.every(({ port }) => port !== 53))]
    check(
      `${service}: every rule but that of DNS names who`,
      open.every(({ from: who, to }) => (who ?? to ?? []).length > 0),
      open,
    )
  }
}

/** What would only fail in a running installation is refused while it is rendered. */
function checkRefusals(): void {
  const url = ['--set', 'nats.url=nats://nats:4222']
  const refusals: [args: string[], says: string][] = [
    [[], 'url'],
    [[...url, '--set', 'database.maxConnections=100'], 'The services may open 288 connections, and database.maxConnections is 100'],
    [['--set', 'nats.url=nats://a:4222\\,nats://b:4222'], 'Set nats.replicas to 3'],
    [[...url, '--set', 'services.dispatcher.maxReplicas=60,database.maxConnections=900'], 'raise services.tracker.replicas'],
    [[...url, '--set', 'services.gateways.replicas=2'], 'gateways'],
    [[...url, '--set', 'migrate.mode=yes'], 'mode'],
    [[...url, '--set', 'services.gateway.env.port=1'], 'port'],
  ]
  for (const [args, says] of refusals) {
    const { status, stderr } = render(...args)
    check(`refused: ${args.at(-1) ?? 'no address of NATS'}`, status !== 0 && stderr.includes(says), stderr.slice(0, 300))
  }
}
