import { useState } from 'react'
import { client, dataOf } from '../../api/client.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import { NewSecret } from '../../ui/Secret.tsx'
import { Status } from '../../ui/Status.tsx'
import { useChangeApp, type App } from './useChangeApp.ts'

/** Lets the operator require that a device proves who its user is, and make the secret with which the app's backend signs the proof. */
export function IdentitySettings({ app }: { app: App }) {
  const changeApp = useChangeApp(app.id)
  const [asked, setAsked] = useState<'switch' | 'secret'>()
  const [secret, setSecret] = useState<string>()
  const isRequired = app.settings.identityVerification === 'required'
  return (
    <Card title="Identity verification">
      <div className="flex flex-col gap-3">
        <p>
          {isRequired ? <Status kind="good">required</Status> : <Status kind="off">off</Status>}{' '}
          {isRequired
            ? 'An app or page may name a user only with a token that your backend has signed.'
            : 'An app or page may name any user: whoever knows an external id can register a device for that person.'}
        </p>
        <div className="flex flex-wrap gap-2">
          <Button needed="platform" onClick={() => setAsked('secret')}>
            Create a secret
          </Button>
          <Button needed="settings" variant={isRequired ? 'danger' : 'secondary'} onClick={() => setAsked('switch')}>
            {isRequired ? 'Switch it off' : 'Require it'}
          </Button>
        </div>
        <p className="text-muted text-sm">
          First make the secret, give it to your backend, and let apps send the token. Require it when they do: from then on a login without
          a token is refused.
        </p>
      </div>
      <Confirm
        open={asked === 'secret'}
        onClose={() => setAsked(undefined)}
        title="Create a secret?"
        action="Make it, and show it once"
        danger
        onConfirm={async () => {
          const made = dataOf(await client.POST('/v1/admin/apps/{appId}/identity-secret', { params: { path: { appId: app.id } } }))
          setSecret(made.secret)
        }}
      >
        An earlier secret of this app stops working at once, and with it every token that was signed with it.
      </Confirm>
      <Confirm
        open={asked === 'switch'}
        onClose={() => setAsked(undefined)}
        title={isRequired ? 'Switch identity verification off?' : 'Require identity verification?'}
        action={isRequired ? 'Switch it off' : 'Require it'}
        danger={isRequired}
        onConfirm={async () => {
          await changeApp({ settings: { identityVerification: isRequired ? 'off' : 'required' } })
          announce(isRequired ? 'Identity verification is off.' : 'Identity verification is required.', 'good')
        }}
      >
        {isRequired
          ? 'From then on an app or page may name any user without a token.'
          : 'From then on a login or a registration with an external id needs a valid token. Without a secret no token is valid: make one first.'}
      </Confirm>
      {secret !== undefined && (
        <NewSecret title="The secret that signs identity tokens" secret={secret} onClose={() => setSecret(undefined)}>
          Copy it to where your backend keeps its secrets. It is shown this once, and must not go into an app or a page.
        </NewSecret>
      )}
    </Card>
  )
}
