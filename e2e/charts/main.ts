// `npm run test:charts` lints and renders the charts of deploy/helm with their files of values, and checks the fields, settings, network rules and
// scaling, and that wrong combinations are refused. No API server is asked.
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { apps } from '@herald/contracts/call'
import { natsAuthorization, natsUsers } from '@herald/contracts/grants'
import { findNatsServer } from '@herald/embedded/nats-server'
import { parseAllDocuments } from 'yaml'
import { findHelm } from './fetch.ts'
import { buildStack } from './stack.ts'
import { checkTypes } from './types.ts'

const root = resolve(import.meta.dirname, '../..')
const charts = join(root, 'deploy/helm')
const helm = findHelm()
const heraldChart = join(charts, 'herald')
const stackChart = buildStack(helm, charts)
const natsServer = await findNatsServer()
const failed: string[] = []
const check = (what: string, isRight: boolean, found: unknown = '') => {
  console.log(`${isRight ? 'good' : 'bad '} ${what}${isRight ? '' : `: ${typeof found === 'string' ? found : JSON.stringify(found)}`}`)
  if (!isRight) failed.push(what)
}

type Passwords = Parameters<typeof natsAuthorization>[0]
type Named = { name: string; value?: string }
type Rule = { ports?: { port: number | string }[]; from?: unknown[]; to?: unknown[] }
type Manifest = {
  apiVersion: string
  kind: string
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> }
  spec: {
    template?: { spec: { containers: { env?: Named[]; ports?: { name: string }[] }[] } }
    ingress?: Rule[]
    egress?: Rule[]
    replicas?: number
    minReplicas?: number
    scaleTargetRef?: { name: string }
  }
  data?: Record<string, string>
}

const render = (chart: string, ...args: string[]) => spawnSync(helm, ['template', 'herald', chart, ...args], { encoding: 'utf8' })
const serviceOf = ({ metadata }: Manifest): string => metadata.labels?.['app.kubernetes.io/component'] ?? ''

const rendered = new Map<string, Manifest[]>()
for (const chart of [heraldChart, stackChart])
  for (const file of globSync('ci/*.yaml', { cwd: chart }).toSorted()) {
    const name = `${basename(chart)} ${basename(file, '.yaml')}`
    const values = join(chart, file)
    const lint = spawnSync(helm, ['lint', '--strict', '-f', values, chart], { encoding: 'utf8' })
    check(`${name} passes helm lint --strict`, lint.status === 0, lint.stdout)
    const { status, stdout, stderr } = render(chart, '-f', values)
    check(`${name} is rendered`, status === 0, stderr)
    rendered.set(
      name,
      parseAllDocuments(stdout)
        .map((document) => document.toJS() as Manifest)
        .filter(Boolean),
    )
  }
check('there are seven files of values', rendered.size === 7, rendered.size)

checkFields()
checkSettings()
checkPolicies()
checkScaling()
checkNats()
checkStack()
checkRefusals()
console.log(failed.length === 0 ? '\ncharts: all good' : `\ncharts: ${failed.length} bad`)
process.exitCode = failed.length === 0 ? 0 : 1

/** Every object is of its type, and has no field that the type has not. */
function checkFields(): void {
  const all = [...rendered.values()].flat()
  const found = checkTypes(all)
  check(`${all.length} objects have the types of Kubernetes and no unknown field`, found === '' && all.length > 150, found.slice(0, 2_000))

  const wrong: [kind: string, field: string, unknown: string][] = [
    ['Deployment', 'terminationGracePeriodSeconds', 'terminationGraceSeconds'],
    ['ScaledObject', 'failureThreshold', 'failures'],
    ['Cluster', 'synchronous', 'synchronously'],
  ]
  for (const [kind, field, unknown] of wrong) {
    const object = JSON.stringify(all.find((manifest) => manifest.kind === kind)).replace(`"${field}"`, `"${unknown}"`)
    const found = checkTypes([JSON.parse(object) as Manifest])
    check(`a field that ${kind} has not is found`, found.includes(`'"${unknown}"' does not exist`), found)
  }
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
    (rendered.get('herald cluster') ?? []).filter(({ kind }) => kind === 'NetworkPolicy').map((policy) => [serviceOf(policy), policy.spec]),
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

/** A Deployment is scaled by one thing alone: an HPA, or KEDA's ScaledObject, which makes an HPA of its own. */
function checkScaling(): void {
  for (const [name, manifests] of rendered) {
    const scaled = manifests.flatMap(({ spec }) => spec?.scaleTargetRef?.name ?? [])
    check(`${name}: nothing is scaled by two`, new Set(scaled).size === scaled.length, scaled)
  }
  const of = (name: string, kind: string) => (rendered.get(name) ?? []).filter((manifest) => manifest.kind === kind).map(serviceOf)
  check('with KEDA the dispatchers have a ScaledObject', of('herald large', 'ScaledObject').join() === 'dispatcher')
  check('with KEDA the dispatchers have no HPA', !of('herald large', 'HorizontalPodAutoscaler').includes('dispatcher'))
  check('without KEDA the dispatchers have an HPA', of('herald small', 'HorizontalPodAutoscaler').includes('dispatcher'))
  const triggers = JSON.stringify(rendered.get('herald large')?.find(({ kind }) => kind === 'ScaledObject')?.spec)
  check(
    'the dispatchers are scaled by their backlog and by CPU',
    triggers.includes('"query":"sum(max by (platform, lane) (herald_backlog_pushes))","ignoreNullValues":"false","threshold":"200000"') &&
      triggers.includes('"metadata":{"value":"70"}'),
    triggers,
  )
}

/** The servers of NATS have the settings of deploy/nats/cluster.conf, which are tested with real servers, and how they end. */
function checkNats(): void {
  const linesOf = (text: string) =>
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'))
  const confOf = (name: string) => linesOf(rendered.get(name)?.find(({ kind }) => kind === 'ConfigMap')?.data?.['nats.conf'] ?? '')
  const ours = linesOf(readFileSync(join(root, 'deploy/nats/cluster.conf'), 'utf8'))
  const howItEnds = ['pid_file: "/run/nats/nats.pid"', 'lame_duck_grace_period: "10s"', 'lame_duck_duration: "30s"']
  const [withTls, plain] = [confOf('herald-stack tls'), confOf('herald-stack plain')]
  const isSame = (found: string[], wanted: string[]) => JSON.stringify(found.toSorted()) === JSON.stringify(wanted.toSorted())
  check('with TLS NATS has the settings of deploy/nats/cluster.conf', isSame(withTls, [...ours, ...howItEnds]), withTls)
  const unencrypted = ours.filter((line) => !line.startsWith('tls '))
  check('without TLS NATS has all of them but tls', isSame(plain, [...unencrypted, ...howItEnds]), plain)

  const folder = mkdtempSync(join(tmpdir(), 'herald-charts-nats-'))
  writeFileSync(join(folder, 'nats.conf'), plain.join('\n').replace('/run/nats', folder))
  writeFileSync(join(folder, 'users.conf'), natsAuthorization(Object.fromEntries(natsUsers.map((user) => [user, 'password'])) as Passwords))
  const container = rendered.get('herald-stack plain')?.find(({ kind }) => kind === 'StatefulSet')?.spec.template?.spec.containers[0]
  const given = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value?.replace('$(SERVER)', 'herald-nats-0')]))
  const { status, stderr } = spawnSync(natsServer, ['-t', '-c', join(folder, 'nats.conf')], {
    encoding: 'utf8',
    env: { ...given, SERVER: 'herald-nats-0' },
  })
  rmSync(folder, { recursive: true, force: true })
  check('nats-server accepts the settings of NATS with the variables of its pod', status === 0, stderr)
}

function podsOf(name: string) {
  return { podSelector: { matchLabels: { 'app.kubernetes.io/name': name, 'app.kubernetes.io/instance': 'herald' } } }
}

/** What the parts of the example say of each other fits. */
function checkStack(): void {
  for (const [name, manifests] of [...rendered].filter(([name]) => name.startsWith('herald-stack'))) {
    const find = (kind: string) => manifests.find((manifest) => manifest.kind === kind)
    const gateway = manifests.find((manifest) => manifest.kind === 'Deployment' && serviceOf(manifest) === 'gateway')
    const variables = gateway?.spec.template?.spec.containers[0]?.env ?? []
    const valueOf = (variable: string) => variables.find((one) => one.name === variable)?.value ?? ''
    const servers = [0, 1, 2].map((no) => `herald-nats-${no}.herald-nats:4222`)
    const addresses = valueOf('NATS_URL').split(',')
    check(
      `${name}: the services have the addresses of the three servers of NATS`,
      addresses.map((address) => address.replace(/^(nats|tls):\/\//, '')).join() === servers.join(),
      addresses,
    )
    check(`${name}: each stream has three copies`, valueOf('NATS_REPLICAS') === '3')
    const cluster = find('Cluster')
    const spec = JSON.stringify(cluster?.spec)
    check(
      `${name}: a standby has what is committed`,
      spec.includes('"synchronous":{"method":"any","number":1,"failoverQuorum":true}'),
      spec,
    )
    const most = name.endsWith('tls') ? '400' : '300'
    check(`${name}: Postgres takes the connections that are counted on`, spec.includes(`"max_connections":"${most}"`), spec)
    check(`${name}: helm uninstall leaves the database`, cluster?.metadata.annotations?.['helm.sh/resource-policy'] === 'keep')
    const policy = manifests.find((manifest) => manifest.kind === 'NetworkPolicy' && manifest.metadata.name === 'herald-nats')
    const reaches = JSON.stringify(policy?.spec.ingress?.map(({ from, ports }) => [from, ports]))
    check(
      `${name}: NATS is reached by Herald's pods and by itself`,
      reaches ===
        JSON.stringify([
          [[podsOf('herald')], [{ port: 'client' }]],
          [[podsOf('nats')], [{ port: 'cluster' }]],
        ]),
      reaches,
    )
    check(`${name}: the migration is no hook`, find('Job') !== undefined && find('Job')?.metadata.annotations === undefined)
  }
}

/** What would only fail in a running installation is refused while it is rendered. */
function checkRefusals(): void {
  const url = ['--set', 'nats.url=nats://nats:4222']
  const keda = [...url, '--set', 'keda.enabled=true']
  const prometheus = 'keda.prometheusAddress=http://prometheus:9090'
  const refusals: [args: string[], says: string][] = [
    [[], 'url'],
    [[...url, '--set', 'database.maxConnections=100'], 'The services may open 288 connections, and database.maxConnections is 100'],
    [['--set', 'nats.url=nats://a:4222\\,nats://b:4222'], 'Set nats.replicas to 3'],
    [[...url, '--set', 'services.dispatcher.maxReplicas=60,database.maxConnections=900'], 'raise services.tracker.replicas'],
    [[...url, '--set', 'services.gateways.replicas=2'], 'gateways'],
    [[...url, '--set', 'migrate.mode=yes'], 'mode'],
    [[...url, '--set', 'services.gateway.env.port=1'], 'port'],
    [keda, 'keda.enabled needs keda.prometheusAddress'],
    [[...keda, '--set', 'keda.prometheusAddress=prometheus:9090'], 'prometheusAddress'],
    [[...keda, '--set', `${prometheus},services.dispatcher.maxReplicas=2`], 'raise services.dispatcher.maxReplicas'],
  ]
  const refusalsOfStack: typeof refusals = [
    [['--set', 'herald.migrate.mode=hook'], 'Install with job'],
    [['--set', 'nats.tlsSecret=tls'], 'begin with tls://'],
    [['--set', 'herald.nats.caSecret=ca'], 'the same name'],
    [['--set', 'postgres.parameters.max_wal_size=4'], 'max_wal_size'],
    [['--set', 'herald.database.maxConnections=100'], 'database.maxConnections is 100'],
  ]
  for (const [chart, args, says] of [
    ...refusals.map((one) => [heraldChart, ...one] as const),
    ...refusalsOfStack.map((one) => [stackChart, ...one] as const),
  ]) {
    const { status, stderr } = render(chart, ...args)
    check(`refused: ${args.at(-1) ?? 'no address of NATS'}`, status !== 0 && stderr.includes(says), stderr.slice(0, 300))
  }
  const upgrade = render(stackChart, '--set', 'herald.migrate.mode=hook', '--is-upgrade')
  check('an upgrade of the example may migrate in a hook', upgrade.status === 0, upgrade.stderr)
}
