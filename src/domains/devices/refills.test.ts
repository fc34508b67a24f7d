import { expect, test } from 'vitest'
import { type Refill, visitsOf } from './refills.ts'

const flow = (
  id: number,
  at: string,
  cargoRoad: number,
  actorName: string | null = '李雷',
  actorKind = 'USER',
): Refill => ({
  id,
  cargoRoad,
  changeTotal: id,
  actorKind,
  actorName,
  createTime: `2026-11-21T${at}:00.000Z`,
})

test.each<[string, Refill[], number[][]]>([
  ['nothing', [], []],
  [
    'lanes one after the other are one visit, by lane',
    [flow(3, '09:10', 1), flow(2, '09:05', 7), flow(1, '09:00', 3)],
    [[3, 1, 2]],
  ],
  [
    'a quarter of an hour later he is still there',
    [flow(2, '09:15', 1), flow(1, '09:00', 2)],
    [[2, 1]],
  ],
  ['later than that he has come again', [flow(2, '09:16', 1), flow(1, '09:00', 2)], [[2], [1]]],
  [
    'somebody else is another visit',
    [flow(3, '09:02', 1), flow(2, '09:01', 2, '韩梅梅'), flow(1, '09:00', 3)],
    [[3], [2], [1]],
  ],
  [
    'the machine itself is nobody',
    [flow(2, '09:01', 1, null, 'DEVICE'), flow(1, '09:00', 2, null, 'SYSTEM')],
    [[2], [1]],
  ],
  [
    'a lane filled twice stands twice, in order',
    [flow(3, '09:02', 1), flow(2, '09:01', 2), flow(1, '09:00', 1)],
    [[1, 3, 2]],
  ],
])('%s', (_, flows, expected) =>
  expect(visitsOf(flows).map((visit) => visit.lines.map((line) => line.id))).toEqual(expected),
)

test('lanes, pieces, first and last', () =>
  expect(
    visitsOf([flow(5, '09:04', 1), flow(2, '09:02', 2), flow(1, '09:00', 1)])[0],
  ).toMatchObject({
    lanes: 2,
    pieces: 8,
    from: '2026-11-21T09:00:00.000Z',
    to: '2026-11-21T09:04:00.000Z',
    actorName: '李雷',
  }))
