import { describe, expect, it } from 'vitest'
import { noticeErrors, notices } from './contract.ts'
import {
  changeable,
  noticeCan,
  noticeMoves,
  remindable,
  removable,
  running,
  startOf,
  timingRule,
} from './rules.ts'

const now = new Date('2026-11-21T06:00:00Z')
const at = (hours: number) => new Date(now.getTime() + hours * 3_600_000).toISOString()
const { publishInPast, endBeforeStart, published, notDraft, notPublished, remindedRecently } =
  noticeErrors

describe('timing', () => {
  it.each([
    [null, null, null],
    [at(1), null, null],
    [at(1), at(2), null],
    [null, at(1), null],
    [at(0), null, publishInPast],
    [at(-1), at(2), publishInPast],
    [at(2), at(2), endBeforeStart],
    [at(2), at(1), endBeforeStart],
    [null, at(0), endBeforeStart],
    [null, at(-1), endBeforeStart],
  ])('%o to %o', (publishAt, expireAt, wrong) =>
    expect(timingRule({ publishAt, expireAt }, now)).toBe(wrong),
  )
  it('starts at its time unless it is published immediately', () => {
    expect([
      startOf(at(3), false, now),
      startOf(at(3), true, now),
      startOf(null, false, now),
    ]).toEqual([new Date(at(3)), now, now])
  })
})

describe('states', () => {
  const states = Object.keys(noticeMoves.moves) as (keyof typeof noticeMoves.moves)[]
  it('say what may happen', () => {
    expect(states.map((s) => [s, changeable(s), removable(s), running(s)])).toEqual([
      ['DRAFT', null, null, notPublished],
      ['SCHEDULED', null, notDraft, notPublished],
      ['PUBLISHED', published, notDraft, null],
      ['WITHDRAWN', published, notDraft, notPublished],
      ['EXPIRED', published, notDraft, notPublished],
    ])
  })
  it('what a row offers is what the verbs allow', () => {
    const all = { update: true, delete: true, publish: true }
    for (const state of states) {
      const can = noticeCan({ state, remindTime: null }, all, now)
      expect(can).toEqual({
        update: changeable(state) === null,
        delete: removable(state) === null,
        publish: changeable(state) === null,
        withdraw: running(state) === null,
        pin: true,
        remind: running(state) === null,
      })
      expect(
        Object.values(
          noticeCan(
            { state, remindTime: null },
            { update: false, delete: false, publish: false },
            now,
          ),
        ).some(Boolean),
      ).toBe(false)
    }
  })
  it('reminds once in 24 hours', () => {
    const seen = (remindTime: string | null) => remindable({ state: 'PUBLISHED', remindTime }, now)
    expect([seen(null), seen(at(-23.9)), seen(at(-24))]).toEqual([null, remindedRecently, null])
    expect(remindable({ state: 'EXPIRED', remindTime: null }, now)).toBe(notPublished)
  })
})

describe('what the form sends', () => {
  const fine = { title: '标题', content: '<p>文</p>', toAll: true }
  const messages = (change: Record<string, unknown>) => {
    const parsed = notices.create.input.safeParse({ ...fine, ...change })
    return parsed.success
      ? []
      : parsed.error.issues.map(
          (issue) => `${issue.path.join('.')} ${issue.message.split('\u001f')[0]}`,
        )
  }
  it.each([
    [{}, []],
    [{ title: '  ' }, ['title 公告标题不能为空']],
    [{ title: undefined }, ['title 公告标题不能为空']],
    [{ title: '字'.repeat(51) }, ['title 不能超过50个字符']],
    ...[
      '',
      '<p></p>',
      '<p> </p>',
      '<p>&nbsp;</p><p><br></p>',
      '\u200b',
      '<img src="files/a.png">',
    ].map((content) => [{ content }, ['content 公告内容不能为空']]),
    [{ content: `<p>${'x'.repeat(20_000)}</p>` }, ['content 不能超过20000个字符']],
    [{ images: Array(6).fill('files/a.png') }, ['images 最多上传5张图片']],
    [{ images: ['https://x/y.png'] }, ['images.0 请上传图片']],
    [{ toAll: false }, ['toAll 请选择发布范围']],
    [{ toAll: false, roleIds: [1] }, []],
    [
      { publishAt: '2026-11-22T00:00:00Z', expireAt: '2026-11-22T00:00:00Z' },
      ['expireAt 结束时间必须晚于开始时间'],
    ],
    [{ channels: ['SMS'] }, ['channels.0 选项不正确']],
  ] as [Record<string, unknown>, string[]][])('%o', (change, wrong) =>
    expect(messages(change)).toEqual(wrong),
  )
})
