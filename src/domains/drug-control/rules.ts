export { stoppingLocks as lockReasons } from '../drug-guard/rules.ts'
