import { knownAnswers, type KnownAnswer } from '@herald/contracts/provider-answers'

const names: Readonly<Record<KnownAnswer['provider'], string>> = { apns: 'APNs', fcm: 'FCM', webpush: 'Push services' }

/** Writes docs/provider-answers.md: each answer that a real service is known to give, what it means to Herald, and where it was found. */
export function describeAnswers(): Promise<string> {
  const parts = Object.entries(names).map(([provider, name]) => {
    const rows = knownAnswers.filter((one) => one.provider === provider).map(rowOf)
    return [
      `## ${name}`,
      '',
      '| answer | what the service says | class | code | source, read |',
      '| --- | --- | --- | --- | --- |',
      ...rows,
    ].join('\n')
  })
  return Promise.resolve(`${head}\n\n${parts.join('\n\n')}\n`)
}

const head = `# What providers answer

Each answer that a real service is known to give, from the provider's pages or from public reports, and what it means to Herald
([the classes](specification/providers.md#providersclasses)). The simulator gives these answers, and a test holds the dispatcher's tables to them.
This page is generated from \`libs/contracts/src/provider-answers.ts\`: a new report becomes a line there.`

function rowOf({ name, status, headers, host, says, class: meaning, code, source, read }: KnownAnswer): string {
  const retryAfter = headers?.['retry-after'] === undefined ? '' : `, Retry-After ${headers['retry-after']}`
  const where = host === undefined ? '' : ` (\`*.${host}\`)`
  const answer = `${status} ${name.replace(/^\w+ /, '')}${retryAfter}${where}`
  return `| ${[answer, says, `\`${meaning}\``, code === null ? '' : `\`${code}\``, `${linkOf(source)}, ${read}`].join(' | ')} |`
}

const linkOf = (source: string): string =>
  /^[\w.-]+\.\w+\//.test(source) ? `[${source.split('/').slice(0, 4).join('/')}](https://${source})` : source
