/** Bots and rules of games, with exact tables: the protocol of `ustad serve`, as types. */

export interface JsonObject {
  readonly [key: string]: unknown;
}

export type GameName = "yacht" | "dice_poker" | "pasa" | "raja_pasu" | "marriage";

export type Level = "easy" | "medium" | "hard" | "expert";

export type YachtPosition = { readonly game: "yacht"; readonly sheets: readonly ({ readonly ones?: number | null; readonly twos?: number | null; readonly threes?: number | null; readonly fours?: number | null; readonly fives?: number | null; readonly sixes?: number | null; readonly three_of_a_kind?: number | null; readonly four_of_a_kind?: number | null; readonly full_house?: number | null; readonly small_straight?: number | null; readonly large_straight?: number | null; readonly yacht?: number | null; readonly chance?: number | null; readonly extra_yachts?: number })[]; readonly dice: readonly number[] | null; readonly rolls_left: number; readonly options?: { readonly second_yacht?: "bonus_and_joker" | "plain" | "free_joker" }; readonly first?: number; readonly to_move?: number; readonly kept?: readonly number[] | null };

export type YachtMove = { readonly keep: readonly number[] } | { readonly write: "ones" | "twos" | "threes" | "fours" | "fives" | "sixes" | "three_of_a_kind" | "four_of_a_kind" | "full_house" | "small_straight" | "large_straight" | "yacht" | "chance" };

export type YachtOutcome = readonly number[];

export type YachtOptions = { readonly second_yacht?: "bonus_and_joker" | "plain" | "free_joker" };

export type DicePokerPosition = { readonly game: "dice_poker"; readonly sheets: readonly ({ readonly ones?: number | null; readonly twos?: number | null; readonly threes?: number | null; readonly fours?: number | null; readonly fives?: number | null; readonly sixes?: number | null; readonly pair?: number | null; readonly two_pairs?: number | null; readonly three?: number | null; readonly small_straight?: number | null; readonly large_straight?: number | null; readonly full_house?: number | null; readonly four?: number | null; readonly poker?: number | null; readonly chance?: number | null })[]; readonly dice: readonly number[] | null; readonly rolls_left: number; readonly options?: { readonly dash?: "deferred" | "sacrifice"; readonly order?: "school_first" | "free"; readonly first_throw?: "double" | "none" | "double_with_poker_bonus"; readonly five_as_full_house?: boolean; readonly four_as_two_pairs?: boolean; readonly school_bonus?: number; readonly school_threshold?: number; readonly chance_doubles?: boolean; readonly chance_after_miss?: boolean }; readonly first?: number; readonly to_move?: number; readonly kept?: readonly number[] | null; readonly turns_left?: readonly (number | null)[] | null };

export type DicePokerMove = { readonly keep: readonly number[] } | { readonly write: "ones" | "twos" | "threes" | "fours" | "fives" | "sixes" | "pair" | "two_pairs" | "three" | "small_straight" | "large_straight" | "full_house" | "four" | "poker" | "chance" } | { readonly pass: boolean };

export type DicePokerOutcome = readonly number[];

export type DicePokerOptions = { readonly dash?: "deferred" | "sacrifice"; readonly order?: "school_first" | "free"; readonly first_throw?: "double" | "none" | "double_with_poker_bonus"; readonly five_as_full_house?: boolean; readonly four_as_two_pairs?: boolean; readonly school_bonus?: number; readonly school_threshold?: number; readonly chance_doubles?: boolean; readonly chance_after_miss?: boolean };

export type PasaPosition = { readonly game: "pasa"; readonly stacks: readonly number[]; readonly thrower: number; readonly turns_left: number; readonly bets: readonly (number | null)[]; readonly options?: { readonly cap?: "share" | "first_come"; readonly max_bet?: number | null; readonly menu?: "buttons" | "all" } };

export type PasaMove = { readonly bet: number };

export type PasaOutcome = readonly number[];

export type PasaOptions = { readonly cap?: "share" | "first_come"; readonly max_bet?: number | null; readonly menu?: "buttons" | "all"; readonly stack?: number | null; readonly laps?: number };

export type RajaPasuPosition = { readonly game: "raja_pasu"; readonly board: readonly number[]; readonly to_move: number; readonly options?: { readonly origin?: "sown" | "skipped"; readonly match?: boolean; readonly max_rounds?: number }; readonly closed?: readonly number[]; readonly captured?: readonly number[]; readonly earlier?: readonly (readonly number[])[]; readonly match?: { readonly owned: readonly number[]; readonly round: number; readonly leader: number } | null };

export type RajaPasuMove = { readonly hole: number };

export type RajaPasuOutcome = never;

export type RajaPasuOptions = { readonly origin?: "sown" | "skipped"; readonly match?: boolean; readonly max_rounds?: number };

export type MarriagePosition = { readonly game: "marriage"; readonly players: number; readonly to_move: number; readonly dealer: number; readonly turns: number; readonly phase: "draw" | "discard"; readonly table: readonly ({ readonly seat: number; readonly melds: readonly (readonly string[])[]; readonly laid_before_draw: readonly (readonly string[])[]; readonly shown: boolean; readonly dublees: boolean })[]; readonly tiplu_drawn: boolean | null; readonly pile: readonly string[]; readonly hands: readonly (readonly string[])[]; readonly stock: readonly string[]; readonly sees: readonly boolean[]; readonly options?: { readonly dublee?: boolean; readonly master_is_pure?: boolean; readonly see_tiplu?: "after_discard" | "at_once"; readonly printed_need_show?: boolean; readonly laid_need_tiplu?: boolean }; readonly drawn?: string | null; readonly tiplu?: string | null; readonly discards?: readonly ({ readonly seat: number; readonly card: string })[]; readonly taken?: readonly ({ readonly seat: number; readonly card: string })[]; readonly drawn_from?: "stock" | "pile" | null; readonly finisher?: number | null; readonly maal?: readonly number[] | null; readonly net?: readonly number[] | null } | { readonly game: "marriage"; readonly players: number; readonly to_move: number; readonly dealer: number; readonly turns: number; readonly phase: "draw" | "discard"; readonly table: readonly ({ readonly seat: number; readonly melds: readonly (readonly string[])[]; readonly laid_before_draw: readonly (readonly string[])[]; readonly shown: boolean; readonly dublees: boolean })[]; readonly tiplu_drawn: boolean | null; readonly pile: readonly string[]; readonly seat: number; readonly hand: readonly string[]; readonly stock: number; readonly options?: { readonly dublee?: boolean; readonly master_is_pure?: boolean; readonly see_tiplu?: "after_discard" | "at_once"; readonly printed_need_show?: boolean; readonly laid_need_tiplu?: boolean }; readonly drawn?: string | null; readonly tiplu?: string | null; readonly discards?: readonly ({ readonly seat: number; readonly card: string })[]; readonly taken?: readonly ({ readonly seat: number; readonly card: string })[]; readonly drawn_from?: "stock" | "pile" | null; readonly finisher?: number | null; readonly maal?: readonly number[] | null; readonly net?: readonly number[] | null; readonly shown_blind?: boolean };

export type MarriageMove = { readonly draw?: "stock" | "pile"; readonly lay?: readonly string[]; readonly show?: readonly (readonly string[])[]; readonly show_dublees?: readonly (readonly string[])[]; readonly finish?: readonly (readonly string[])[]; readonly discard?: string };

export type MarriageOutcome = string | boolean;

export type MarriageOptions = { readonly dublee?: boolean; readonly master_is_pure?: boolean; readonly see_tiplu?: "after_discard" | "at_once"; readonly printed_need_show?: boolean; readonly laid_need_tiplu?: boolean };

export type Position = YachtPosition | DicePokerPosition | PasaPosition | RajaPasuPosition | MarriagePosition;

export type Move = YachtMove | DicePokerMove | PasaMove | RajaPasuMove | MarriageMove;

export type Outcome = YachtOutcome | DicePokerOutcome | PasaOutcome | RajaPasuOutcome | MarriageOutcome;

export type Options = YachtOptions | DicePokerOptions | PasaOptions | RajaPasuOptions | MarriageOptions;

export type GameRecord = { readonly start: Position; readonly steps: readonly ({ readonly over: boolean; readonly returns: readonly number[] } | { readonly outcome: Outcome } | { readonly seat: number; readonly move: Move })[]; readonly seats?: readonly ({ readonly name: string; readonly level?: string | null })[] };

export type Status = { readonly to: "move" | "chance" | "over"; readonly seat: number | null; readonly scores: readonly number[] | null; readonly returns: readonly number[] | null; readonly winners: readonly number[] | null };

export type NewResult = { readonly position: Position; readonly status: Status; readonly seed: number };

export type StatusResult = { readonly status: Status };

export type ViewResult = { readonly position: Position; readonly status: Status };

export type LegalResult = { readonly legal: readonly Move[] };

export type ApplyResult = { readonly position: Position; readonly events: readonly JsonObject[]; readonly status: Status; readonly seed?: number };

export type AskResult = { readonly best: readonly Move[]; readonly value?: number; readonly unit?: string; readonly options?: readonly ({ readonly move: Move; readonly value: number; readonly facts?: JsonObject; readonly [key: string]: unknown })[]; readonly exact?: boolean; readonly asked?: { readonly move: Move; readonly value: number; readonly facts?: JsonObject; readonly [key: string]: unknown }; readonly why?: string; readonly win_shares?: readonly number[]; readonly [key: string]: unknown };

export type MoveResult = { readonly move: Move; readonly seed: number };

export type ReviewResult = { readonly unit: string; readonly exact: boolean; readonly seats: readonly ({ readonly seat: number; readonly start: number; readonly luck: number; readonly own: number; readonly others: number; readonly result: number; readonly [key: string]: unknown })[]; readonly steps: readonly ({ readonly step: number; readonly [key: string]: unknown })[]; readonly [key: string]: unknown };

export type HandResult = JsonObject;

export interface Requests {
  new: { readonly game: GameName; readonly options?: Options | null; readonly players?: number | null; readonly first?: number | null; readonly seed?: number | null; readonly whole?: boolean | null };
  status: { readonly position: Position };
  view: { readonly position: Position; readonly seat: number };
  legal: { readonly position: Position };
  apply: { readonly position: Position; readonly move?: Move | null; readonly outcome?: Outcome | null; readonly seed?: number | null };
  ask: { readonly position: Position; readonly level?: "easy" | "medium" | "hard" | "expert" | null; readonly strength?: number | null; readonly top?: number | null; readonly facts?: boolean | null; readonly move?: Move | null; readonly target?: number | null; readonly max_ms?: number | null };
  move: { readonly position: Position; readonly level?: "easy" | "medium" | "hard" | "expert" | null; readonly strength?: number | null; readonly seed?: number | null; readonly max_ms?: number | null };
  review: { readonly record: GameRecord; readonly level?: "easy" | "medium" | "hard" | "expert" | null; readonly unit?: string | null };
  hand: { readonly cards: string | readonly string[]; readonly tiplu?: string | readonly string[] | null; readonly laid?: readonly (string | readonly string[])[] | null; readonly not_shown?: boolean | null; readonly after_show?: boolean | null; readonly options?: Options | null };
}

export interface Results {
  new: NewResult;
  status: StatusResult;
  view: ViewResult;
  legal: LegalResult;
  apply: ApplyResult;
  ask: AskResult;
  move: MoveResult;
  review: ReviewResult;
  hand: HandResult;
}

/** Answers requests about one game; nothing that is given or answered is changed later. */
export interface Engine {
  call<M extends keyof Requests>(method: M, request: Requests[M]): Results[M];
}

/** What is wrong with a request or a file; `kind` is a stable word for programs. */
export class UstadError extends Error {
  constructor(kind: string, message: string);
  readonly kind: string;
}

export interface OpenOptions {
  readonly game: GameName;
  /** Gives a file by its path in the package, such as "data/pasa/index.json". */
  readonly read: (
    name: string,
  ) => ArrayBuffer | ArrayBufferView | Promise<ArrayBuffer | ArrayBufferView>;
  /** False where the files are known to be right: no digest is checked. */
  readonly verify?: boolean;
}

export function open(options: OpenOptions): Promise<Engine>;
