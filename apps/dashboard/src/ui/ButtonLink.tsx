import { createLink } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import { buttonClass } from './Button.tsx'

type Look = { variant?: 'primary' | 'secondary' | 'quiet' | 'danger' | undefined; small?: boolean | undefined; icon?: ReactNode }

function ButtonAnchor({ variant, small, icon, className, children, ...rest }: ComponentProps<'a'> & Look) {
  return (
    <a className={buttonClass({ variant, small, className })} {...rest}>
      {icon}
      {children}
    </a>
  )
}

/** A link to another page of the dashboard that looks like a button. */
export const ButtonLink = createLink(ButtonAnchor)
