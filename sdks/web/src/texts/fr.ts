import type { Texts } from './en.ts'

export const texts: Texts = {
  heading: 'Recevoir des notifications ?',
  text: 'Nous vous prévenons quand il y a du nouveau pour vous. Vous pouvez les désactiver à tout moment.',
  yes: 'Oui, merci',
  no: 'Pas maintenant',
  bell: 'Notifications',
  on: 'Les notifications sont activées.',
  off: 'Les notifications sont désactivées.',
  turnOn: 'Activer',
  turnOff: 'Désactiver',
  blocked: 'Les notifications sont bloquées. Cliquez sur le symbole devant l’adresse, puis autorisez-les.',
  home: 'Touchez Partager, puis « Sur l’écran d’accueil », et ouvrez le site depuis là.',
  install: 'Installer l’application',
}
