// Finishes the set-up of a clone and then runs the given command: when this Node is of another major version, fetches the right one from the npm
// registry into .tools/, and then installs what package-lock.json lists. Plain JavaScript for Node 18 or later, because nothing is installed yet.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const tools = join(root, '.tools')
const wantedNode = readFileSync(join(root, '.node-version'), 'utf8').trim()
const [command = 'node', ...commandArguments] = process.argv.slice(2)

/** An error that ends the set-up. The message tells the operator what is wrong and what to do. */
class SetUpError extends Error {}

/** An error of npm; `output` is the end of what npm printed. */
class NpmError extends Error {
  constructor(output) {
    super('npm failed')
    this.output = output
  }
}

let child // the command that runs now; signals to this process are passed on to it
let stoppedBy // the signal that ended this process
watchSignals()
watchParent()

try {
  const node = await provideNode()
  const environment = environmentWith(node)
  await provideDependencies(node, environment)
  process.exit(await runCommand(node, environment))
} catch (error) {
  if (stoppedBy) process.exit(128 + constants.signals[stoppedBy])
  process.stderr.write(`\n${explain(error)}\n`)
  process.exit(1)
}

/** Gives the path of a suitable Node: this one, one fetched earlier, or one that it fetches now. */
async function provideNode() {
  if (isSuitable(process.versions.node)) return process.execPath
  const directory = join(tools, `node-${wantedNode}`)
  const node = join(directory, 'node_modules', 'node', 'bin', 'node')
  if (isSuitable(versionOf(node))) return node
  return withLock(async () => {
    if (isSuitable(versionOf(node))) return node
    say(`Node ${process.versions.node} is here, Herald runs on ${wantedNode}: fetching it into .tools/ (once)`)
    rmSync(directory, { recursive: true, force: true })
    mkdirSync(directory, { recursive: true })
    // npm runs an install script only where the project allows it; that of `node` picks the binary of this platform.
    writeFileSync(join(directory, 'package.json'), JSON.stringify({ private: true, allowScripts: { node: true } }))
    await runNpm(
      process.execPath,
      ['install', '--no-save', '--no-package-lock', '--no-audit', '--no-fund', `node@${wantedNode}`],
      directory,
      environmentWith(process.execPath),
    )
    if (isSuitable(versionOf(node))) return node
    throw new SetUpError(
      `The Node ${wantedNode} that npm fetched does not run on ${process.platform}-${process.arch}. Install Node ${majorOf(wantedNode)} yourself, put it first on PATH and try again.`,
    )
  })
}

/** Installs the packages of package-lock.json, when that file, the wanted Node or the platform has changed since the last installation. */
async function provideDependencies(node, environment) {
  const stamp = join(root, 'node_modules', '.set-up')
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`${wantedNode} ${process.platform} ${process.arch}`)
    .digest('hex')
  const isDone = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted
  if (isDone()) return
  await withLock(async () => {
    if (isDone()) return
    say('installing dependencies (a minute or two the first time)')
    await runNpm(node, ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund'], root, environment)
    // The stamp is written last: an interrupted installation has no stamp and is done again.
    writeFileSync(stamp, wanted)
  })
}

/** Runs the command with this terminal and gives its exit code. A Node child gets an IPC channel, which closes when this process is killed. */
function runCommand(node, environment) {
  const isNode = command === 'node'
  return new Promise((resolve, reject) => {
    child = spawn(isNode ? node : command, commandArguments, {
      cwd: root,
      env: environment,
      stdio: ['inherit', 'inherit', 'inherit', ...(isNode ? ['ipc'] : [])],
    })
    child.once('error', (error) => reject(new SetUpError(`Cannot run ${command}: ${error.message}`)))
    child.once('exit', (code, signal) => resolve(signal ? 128 + constants.signals[signal] : code))
  })
}

/** Runs npm with its output on stderr, because stdout belongs to the command. When npm fails, the error has the end of its output. */
function runNpm(node, args, directory, environment) {
  const [file, first] = findNpm(node)
  return new Promise((resolve, reject) => {
    child = spawn(file, [...first, ...args], { cwd: directory, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        process.stderr.write(text)
        output = (output + text).slice(-20_000)
      })
    }
    child.once('error', (error) => reject(new SetUpError(`npm cannot be run (${error.message}). Install npm 10 or later.`)))
    child.once('close', (code) => {
      child = undefined
      if (code === 0 && !stoppedBy) resolve()
      else reject(new NpmError(output))
    })
  })
}

/** Finds an npm: the one that started this process, else the one beside this Node, else the one on PATH. */
function findNpm(node) {
  const beside = join(dirname(process.execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js')
  const given = process.env.npm_execpath
  if (given && /npm-cli\.c?js$/.test(given) && existsSync(given)) return [node, [given]]
  if (existsSync(beside)) return [node, [beside]]
  return ['npm', []]
}

/**
 * Gives the environment for commands, with this Node and the installed packages first on PATH. What npm passes to a script (a workspace, a prefix,
 * `omit=dev`) is left out, because it would change a nested npm.
 */
function environmentWith(node) {
  const kept =
    /^npm_config_(registry|cache|userconfig|globalconfig|proxy|https_proxy|noproxy|no_proxy|ca|cafile|cert|key|strict_ssl|fetch_.*|offline|prefer_offline|maxsockets|\/\/.*|@.*)$/i
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) || kept.test(name)))
  delete environment.NODE
  // V8 stores compiled code here, so that each file is compiled once for all processes and starts. With it a dispatcher starts with 0.33 s of CPU
  // instead of 0.66 s, and takes 104 MB of memory instead of 124 MB.
  environment.NODE_COMPILE_CACHE ||= join(tools, 'compile-cache')
  environment.PATH = [dirname(node), join(root, 'node_modules', '.bin'), process.env.PATH].filter(Boolean).join(delimiter)
  return environment
}

/** Lets one set-up run at a time: a second one waits until the first has ended. */
async function withLock(work) {
  mkdirSync(tools, { recursive: true })
  const lock = join(tools, 'set-up.lock')
  for (let told = false; !tryLock(lock); told = true) {
    if (!told) say('another set-up of this clone is at work; waiting for it')
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
  const unlock = () => rmSync(lock, { force: true })
  process.once('exit', unlock)
  try {
    return await work()
  } finally {
    unlock()
    process.off('exit', unlock)
  }
}

function tryLock(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  try {
    const holder = Number(readFileSync(lock, 'utf8'))
    const isNew = Date.now() - statSync(lock).mtimeMs < 2_000 // the process that made the lock may not have written its pid yet
    if (!isNew && !isAlive(holder)) rmSync(lock, { force: true })
  } catch {
    // Another process removed the lock just now. The next attempt takes it.
  }
  return false
}

function isAlive(pid) {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Passes on to the command the signals that this process gets. A Ctrl-C in a terminal reaches the starter twice; the starter allows for that. */
function watchSignals() {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      stoppedBy ??= signal
      child?.kill(signal)
    })
  }
}

/**
 * Watches whether the process that started this one still runs. npm starts it from a shell, and nothing tells it when npm is killed. So it compares
 * its parent, and on Linux the parent of that, with those of the beginning.
 */
function watchParent() {
  if (!process.env.npm_lifecycle_event || process.platform === 'win32') return
  const parent = process.ppid
  const grandparent = parentOf(parent)
  const timer = setInterval(() => {
    if (process.ppid === parent && parentOf(parent) === grandparent) return
    clearInterval(timer)
    if (stoppedBy) return
    stoppedBy = 'SIGTERM'
    // Closing the channel tells the starter that no process waits for it any more, so it stops quickly. A command that does not listen to the channel
    // gets the signal.
    if (child?.connected) child.disconnect()
    setTimeout(() => child?.kill('SIGTERM'), 300)
  }, 250)
  timer.unref()
}

function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]
  } catch {
    return undefined
  }
}

/** Whether a version of Node has the same major version as the wanted one, and is recent enough to run TypeScript without a flag or a warning. */
function isSuitable(version) {
  const [major, minor] = version.split('.').map(Number)
  return major === majorOf(wantedNode) && minor >= 12
}

function majorOf(version) {
  return Number(version.split('.')[0])
}

function versionOf(node) {
  const answer = existsSync(node) ? spawnSync(node, ['--version'], { encoding: 'utf8' }) : { status: 1 }
  return answer.status === 0 ? answer.stdout.trim().slice(1) : ''
}

function say(line) {
  process.stderr.write(`herald: ${line}\n`)
}

function explain(error) {
  if (error.code === 'ENOSPC') return diskFull()
  if (error.code === 'EACCES' || error.code === 'EPERM' || error.code === 'EROFS') return notWritable(error.message)
  if (!(error instanceof NpmError)) return error instanceof SetUpError ? error.message : error.stack
  if (/ENOSPC|no space left/i.test(error.output)) return diskFull()
  if (/EACCES|EPERM|EROFS/.test(error.output)) return notWritable('see above')
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT|network/i.test(error.output)) {
    return 'The npm registry cannot be reached. Check the network, and "npm config get registry" and "npm config get proxy"; then run the same command again.'
  }
  if (/E401|E403/.test(error.output))
    return 'The npm registry refused us. Check "npm config get registry" and your login to it; then run the same command again.'
  if (/EUSAGE|in sync/.test(error.output))
    return 'package-lock.json and the package.json files do not agree. Run: npm install && npm run lock'
  if (/E404|ETARGET|EBADPLATFORM/.test(error.output)) {
    return `The npm registry has not all that is needed on ${process.platform}-${process.arch}. If it is Node that is missing, install Node ${majorOf(wantedNode)} (24.12 or later) yourself and put it first on PATH.`
  }
  return 'npm did not succeed; its reason stands above. Run the same command again, or remove node_modules and .tools first.'
}

function diskFull() {
  return `The disk that holds ${root} is full. Node and the dependencies need about 800 MB; npm's cache can be emptied with "npm cache clean --force".`
}

function notWritable(reason) {
  return `${root} cannot be written by this user (${reason}). Was it cloned, or set up, by another one?`
}
