import { Id } from '@herald/contracts/text'
import { AdminScope, adminScopes } from '@herald/contracts/administration'
import { z } from 'zod'
import { appId } from '../../http/shop.ts'

const Time = z.string().meta({ format: 'date-time' })

/* The schemas of what signing in answers, for the OpenAPI document, and examples of the answers. */

export const SessionRead = z.object({
  name: z.string().meta({ description: 'The name that the operator gave: the actor in the audit.' }),
  expiresAt: Time.meta({ description: 'When the session ends unless it is used again.' }),
  csrfToken: z.string().meta({ description: 'For the header x-csrf-token of every change.' }),
  scopes: z.array(AdminScope).meta({ description: 'What the session may do: all, unless it began with an administration key.' }),
  appId: Id.nullable().meta({
    description: 'The app of the administration key that the session began with; null: every app, and Herald itself.',
  }),
})
export const SessionList = z.object({
  items: z.array(
    z.object({
      id: Id,
      name: z.string(),
      browser: z.string().meta({ description: 'The User-Agent of the browser that signed in.' }),
      createdAt: Time,
      lastUsedAt: Time.meta({ description: 'Up to a minute late.' }),
      keyName: z.string().nullable().meta({ description: 'The administration key that it began with.' }),
      isThis: z.boolean().meta({ description: 'Whether it is the session of this request.' }),
    }),
  ),
})
export const SignInLink = z.object({ url: z.string(), expiresAt: Time })

const session = {
  name: 'Dana',
  expiresAt: '2026-02-01T20:00:00.000Z',
  csrfToken: 'h8Yk1n0pQb3sWcD5mZr7tVx9uEa2fGj4iKl6oNq8RwY',
  scopes: adminScopes,
  appId: null,
}

export const sessionExamples = {
  beginSession: {
    bodies: {
      'with the administration token': { token: 'the-administration-token-of-this-herald', name: 'Dana' },
      'with an administration key': { key: `ak_live_${appId}_the-secret-part-of-the-key`, name: 'Dana' },
      'with a sign-in link': { code: 'q3J1m2Wm0c9Z2bX7v5K8nT4yR6uE1oP0sD3fG7hJ9kL' },
    },
    answer: session,
  },
  readSession: { answer: session },
  listSessions: {
    answer: {
      items: [
        {
          id: '697e5f0b3c4d5e6f70819203',
          name: 'Dana',
          browser: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
          createdAt: '2026-02-01T08:00:00.000Z',
          lastUsedAt: '2026-02-01T08:04:00.000Z',
          keyName: null,
          isThis: true,
        },
      ],
    },
  },
  makeSignInLink: {
    bodies: { 'for a colleague': { name: 'Dana' } },
    answer: {
      url: 'https://push.shop.example/dashboard/#code=q3J1m2Wm0c9Z2bX7v5K8nT4yR6uE1oP0sD3fG7hJ9kL',
      expiresAt: '2026-02-01T08:10:00.000Z',
    },
  },
}
