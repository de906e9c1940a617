/** Bots and rules of games, with exact tables.  Positions and moves are those of `ustad ask`. */

export type GameName = "yacht" | "dice_poker" | "pasa" | "raja_pasu" | "marriage";
export type Level = "easy" | "medium" | "hard" | "expert";
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** A position as JSON; its keys are each game's own. */
export type Position = JsonObject;
/**
 * A move as JSON: `{"keep": [4]}`, `{"write": "ones"}`, `{"pass": true}`, `{"bet": 2}`, `{"hole": 2}`;
 * in Marriage `{"draw": "stock"}`, `{"lay": [...]}`, `{"show": [...]}`, `{"show_dublees": [...]}`,
 * `{"finish": [...], "discard": "2C"}`, `{"discard": "2C"}`.
 */
export type Move = JsonObject;
/** What chance brings: the dice thrown, a card, or whether there is a tiplu. */
export type Outcome = readonly number[] | string | boolean;

export interface Status {
  readonly to: "move" | "chance" | "over";
  readonly seat: number | null;
  readonly scores: readonly number[] | null;
  readonly returns: readonly number[] | null;
  readonly winners: readonly number[] | null;
}

export interface Told {
  readonly position: Position;
  readonly status: Status;
}

export interface Option {
  readonly move: Move;
  readonly value: number;
  readonly expected_total?: number;
  /** What speaks for the move, by named numbers. */
  readonly facts?: JsonObject;
}

/** The best moves; at levels that rate moves the value too, its unit, and all options. */
export interface Answer {
  readonly best: readonly Move[];
  readonly value?: number;
  readonly unit?: "expected_total" | "win_share" | "margin" | "net";
  readonly options?: readonly Option[];
  readonly asked?: Option;
  readonly exact?: boolean;
  readonly win_shares?: readonly number[];
  readonly outlook?: string;
  readonly note?: string;
  readonly why?: string;
}

export interface NewRequest {
  readonly game: GameName;
  readonly options?: JsonObject | null;
  readonly players?: number | null;
  readonly first?: number | null;
  readonly seed?: number | null;
  /** Marriage: all hands and the stock, for who hosts a round. */
  readonly whole?: boolean | null;
}

export interface ApplyRequest {
  readonly position: Position;
  readonly move?: Move | null;
  readonly outcome?: Outcome | null;
  readonly seed?: number | null;
}

export interface AskRequest {
  readonly position: Position;
  readonly level?: Level | null;
  readonly top?: number | null;
  /** Marriage: what speaks for the moves. */
  readonly facts?: boolean | null;
  /** A legal move, whose option is given as `asked`. */
  readonly move?: Move | null;
  /** Milliseconds that a search may take. */
  readonly max_ms?: number | null;
}

export interface MoveRequest {
  readonly position: Position;
  readonly level?: Level | null;
  readonly seed?: number | null;
  readonly max_ms?: number | null;
}

/** A hand of Marriage; cards as a text or a list of them. */
export interface HandRequest {
  readonly cards: string | readonly string[];
  readonly tiplu?: string | readonly string[] | null;
  readonly laid?: readonly (string | readonly string[])[] | null;
  readonly not_shown?: boolean | null;
  readonly after_show?: boolean | null;
  readonly options?: JsonObject | null;
}

/** Answers requests about one game; nothing that is given or answered is changed later. */
export interface Engine {
  call(method: "new", request: NewRequest): Told & { readonly seed: number };
  call(method: "status", request: { readonly position: Position }): { readonly status: Status };
  call(method: "view", request: { readonly position: Position; readonly seat: number }): Told;
  call(method: "legal", request: { readonly position: Position }): { readonly legal: readonly Move[] };
  call(
    method: "apply",
    request: ApplyRequest,
  ): Told & { readonly events: readonly JsonObject[]; readonly seed?: number };
  call(method: "ask", request: AskRequest): Answer;
  call(method: "move", request: MoveRequest): { readonly move: Move; readonly seed: number };
  call(method: "hand", request: HandRequest): JsonObject;
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
