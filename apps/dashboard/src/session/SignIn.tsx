import { useEffect, useState } from 'react'
import { Mark } from '../ui/Mark.tsx'
import { Banner } from '../ui/Banner.tsx'
import { NameForm } from './NameForm.tsx'
import { wasCodeRefused } from './session.ts'
import { asksForName } from './sign-in-code.ts'
import { SignInForm } from './SignInForm.tsx'

/** The page for an operator who is not signed in. */
export function SignIn() {
  useEffect(() => {
    document.title = 'Sign in · Herald'
  }, [])
  const [isNameAsked, setNameAsked] = useState(asksForName)
  return (
    <main className="flex min-h-dvh items-start justify-center px-4 py-[12vh]">
      <div className="flex w-full max-w-sm flex-col gap-5">
        <div>
          <h1 className="flex items-center gap-2 text-2xl font-semibold tracking-tight">
            <Mark size={28} />
            Herald
          </h1>
          <p className="text-muted">{isNameAsked ? 'Who are you?' : 'Sign in'}</p>
        </div>
        {!isSecureContext && <InsecureNotice />}
        {wasCodeRefused() && (
          <Banner kind="warning">
            This sign-in link does not work any more: it has been used, is older than 10 minutes, or too many sign-ins were tried. Ask a
            colleague or your administrator for a new link, or sign in with your key.
          </Banner>
        )}
        <div className="rounded-xl border border-line bg-surface p-5 shadow-sm">
          {isNameAsked ? <NameForm onUsed={() => setNameAsked(false)} /> : <SignInForm />}
        </div>
      </div>
    </main>
  )
}

/**
 * Says that nobody can stay signed in at this address, because it is not encrypted. Browsers keep the session's Secure cookie only over https, or for
 * an address of their own machine.
 */
function InsecureNotice() {
  return (
    <Banner kind="bad">
      <p className="font-medium">
        You cannot sign in at this address, because it is not encrypted. Ask your administrator for the https address.
      </p>
      <p className="mt-1">For administrators: put TLS in front of Herald, or use an SSH tunnel and open it on your own machine:</p>
      <code className="mt-1 block font-mono text-xs break-all">
        ssh -L 8080:127.0.0.1:{location.port === '' ? '80' : location.port} {location.hostname}
      </code>
    </Banner>
  )
}
