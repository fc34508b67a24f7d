import { writeFileSync } from 'node:fs'

/**
 * What `npm test` needs of a run of vitest, as JSON in the file TEST_REPORT names: counts, and the
 * red by name.
 */
export default class VitestReport {
  onTestRunEnd(modules, unhandled) {
    const found = { passed: 0, failed: 0, red: [], again: [] }
    const red = (name, errors) => {
      found.failed += 1
      found.red.push(
        `${name}\n${(errors ?? []).map((error) => error.message ?? String(error)).join('\n')}`,
      )
    }
    for (const module of modules) {
      const file = module.relativeModuleId
      if (module.errors().length > 0) red(file, module.errors())
      for (const test of module.children.allTests()) {
        const name = `${file} > ${test.fullName}`
        const { state, errors } = test.result()
        if (state !== 'passed') red(`${name} (${state})`, errors)
        else {
          found.passed += 1
          if (test.diagnostic()?.flaky)
            found.again.push(`${name}\n${(errors ?? []).map((error) => error.message).join('\n')}`)
        }
      }
      for (const suite of module.children.allSuites())
        if (suite.errors().length > 0) red(`${file} > ${suite.fullName}`, suite.errors())
    }
    if (unhandled.length > 0) red('outside of every test', unhandled)
    writeFileSync(process.env.TEST_REPORT, JSON.stringify(found))
  }
}
