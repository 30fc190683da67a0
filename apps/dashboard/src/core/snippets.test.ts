import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { completed, envFile, registrationSnippets, sendSnippets } from './snippets.ts'

const facts = completed({ baseUrl: 'https://push.example.com', publicKey: 'pk_live_1', vapidPublicKey: 'BPk' })

test('every snippet for a registration contains the address of Herald and the public key', () => {
  for (const { text } of Object.values(registrationSnippets)) {
    expect(text(facts)).toContain('https://push.example.com')
    expect(text(facts)).toContain('pk_live_1')
  }
})

test('a snippet shows pk_… in the place of a public key that is not known yet', () => {
  expect(registrationSnippets.npm.text(completed({ baseUrl: 'https://push.example.com' }))).toContain("appKey: 'pk_…'")
})

test('a shell that runs the curl snippet passes the text on as the operator typed it, with all quotes', () => {
  const body = `It's "here" $HOME \`x\``
  const line = sendSnippets.curl.text({ baseUrl: 'https://push.example.com', subscriptionId: 'a1', title: 'Hi', body })
  const printed = execFileSync('sh', ['-c', line.replace(/^curl -s \S+/, `printf '%s\\n'`)], { encoding: 'utf8' })
    .trim()
    .split('\n')
  expect(JSON.parse(printed.at(-1) ?? '')).toEqual({
    target: { subscriptionIds: ['a1'] },
    content: { _default: 'en', en: { title: 'Hi', body } },
  })
})

test('every snippet with which a backend sends reads the secret key from the environment, and the environment file contains it', () => {
  for (const { text } of Object.values(sendSnippets))
    expect(text({ baseUrl: 'https://push.example.com', subscriptionId: 'a1', title: 'Hi', body: 'There' })).toContain('HERALD_SECRET_KEY')
  expect(envFile({ baseUrl: 'https://push.example.com', publicKey: 'pk_1', secretKey: 'sk_1' })).toContain('HERALD_SECRET_KEY=sk_1\n')
})
