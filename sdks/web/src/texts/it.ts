import type { Texts } from './en.ts'

export const texts: Texts = {
  heading: 'Ricevere notifiche?',
  text: 'Ti avvisiamo quando c’è qualcosa per te. Puoi disattivarle in qualsiasi momento.',
  yes: 'Sì, grazie',
  no: 'Non ora',
  bell: 'Notifiche',
  on: 'Le notifiche sono attive.',
  off: 'Le notifiche sono disattivate.',
  turnOn: 'Attiva',
  turnOff: 'Disattiva',
  blocked: 'Le notifiche sono bloccate. Fai clic sul simbolo prima dell’indirizzo e consentile.',
  home: 'Tocca Condividi, poi «Aggiungi alla schermata Home», e apri il sito da lì.',
  install: 'Installa l’app',
}
