declare const __VERSION__: string
/** Of the drug guard that pages were built with, see domains/drug-guard/server/version.ts. */
declare const __GUARD__: string
