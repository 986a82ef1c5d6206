// A whole client for Piranhas 2026 in plain JavaScript: node piranhas.js --port 13050
//
// It was written from docs/protocol.md alone and needs nothing but Node's standard library.
"use strict";
const net = require("node:net");
const { parseArgs } = require("node:util");

// ------------------------------------------------------------------------------------------- XML

/** Cuts a stream of text into messages: the children of the root element. */
class Reader {
  #text = "";
  #open = []; // the elements that are not closed yet, the root first

  /** The messages that are complete with this text. */
  *feed(text) {
    this.#text += text;
    for (let end; (end = this.#text.indexOf(">")) >= 0; this.#text = this.#text.slice(end + 1)) {
      const message = this.#tag(this.#text.slice(0, end));
      if (message) yield message;
    }
  }

  /** Takes what stands before a ">": some text, then a tag. */
  #tag(piece) {
    const at = piece.indexOf("<");
    const tag = piece.slice(at + 1);
    if (this.#open.length) this.#open.at(-1).text += unescape(piece.slice(0, at)).trim();
    if (tag.startsWith("/")) return this.#close();
    this.#open.push(element(tag.replace(/\/$/, "")));
    return tag.endsWith("/") ? this.#close() : undefined;
  }

  #close() {
    const done = this.#open.pop();
    if (this.#open.length > 1) this.#open.at(-1).children.push(done);
    return this.#open.length === 1 ? done : undefined;
  }
}

function element(tag) {
  const [, name, rest] = /^(\S+)([^]*)$/.exec(tag);
  const attributes = {};
  for (const [, key, , value] of rest.matchAll(/(\S+?)\s*=\s*(["'])([^]*?)\2/g)) attributes[key] = unescape(value);
  return { name, attributes, text: "", children: [] };
}

const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescape(text) {
  return text.replace(/&(#x?)?(\w+);/g, (_, code, name) =>
    code ? String.fromCodePoint(parseInt(name, code === "#x" ? 16 : 10)) : ENTITIES[name]);
}

const child = (parent, name) => parent.children.find((one) => one.name === name);

// ------------------------------------------------------------------------------------------ rules

const DIRECTIONS = {
  UP: [0, 1], UP_RIGHT: [1, 1], RIGHT: [1, 0], DOWN_RIGHT: [1, -1],
  DOWN: [0, -1], DOWN_LEFT: [-1, -1], LEFT: [-1, 0], UP_LEFT: [-1, 1],
};
const SIDE = 10;
const isFish = (field) => field !== undefined && field !== "EMPTY" && field !== "SQUID";

/** board[y][x], from the state of a memento. */
const readBoard = (state) => child(state, "board").children.map((row) => row.children.map((field) => field.text));

/** Where a fish arrives, or nothing if it may not swim there. */
function target(board, team, x, y, [dx, dy]) {
  const at = (steps) => board[y + steps * dy]?.[x + steps * dx];
  let distance = 0;
  for (let steps = -SIDE; steps <= SIDE; steps++) if (isFish(at(steps))) distance++;
  for (let steps = 1; steps < distance; steps++) if (isFish(at(steps)) && !at(steps).startsWith(team)) return undefined;
  const there = at(distance);
  if (there === undefined || there === "SQUID" || there.startsWith(team)) return undefined;
  return [x + distance * dx, y + distance * dy];
}

function* legalMoves(board, team) {
  for (let y = 0; y < SIDE; y++)
    for (let x = 0; x < SIDE; x++)
      if (board[y][x].startsWith(team))
        for (const direction of Object.keys(DIRECTIONS)) {
          const to = target(board, team, x, y, DIRECTIONS[direction]);
          if (to) yield { x, y, direction, to };
        }
}

/** Gathers the fish: the move that leads furthest towards the middle; at random among equals. */
function choose(board, team) {
  const far = (x, y) => Math.hypot(x - 4.5, y - 4.5);
  const gain = ({ x, y, to }) => far(x, y) - far(...to) + Math.random() / 100;
  return [...legalMoves(board, team)].reduce((best, move) => (gain(move) > gain(best) ? move : best));
}

// ----------------------------------------------------------------------------------------- client

/** Plays one game on an open connection; `done` gets the result message. */
class Client {
  #socket;
  #done;
  #team;
  #board;

  constructor(socket, done) {
    this.#socket = socket;
    this.#done = done;
  }

  handle(message) {
    if (message.name === "left") this.#socket.end("<close/></protocol>");
    if (message.name === "errorpacket") throw new Error(message.attributes.message);
    if (message.name === "room") this.#inRoom(message.attributes.roomId, child(message, "data"));
  }

  #inRoom(room, data) {
    const kind = data.attributes.class;
    if (kind === "welcomeMessage") this.#team = data.attributes.color;
    if (kind === "memento") this.#board = readBoard(child(data, "state"));
    if (kind === "moveRequest") this.#move(room, choose(this.#board, this.#team));
    if (kind === "error") console.error(data.attributes.message);
    if (kind === "result") this.#done(this.#team, child(data, "winner").attributes);
  }

  #move(room, { x, y, direction }) {
    const from = `<from x="${x}" y="${y}"/><direction>${direction}</direction>`;
    this.#socket.write(`<room roomId="${room}"><data class="move">${from}</data></room>`);
  }
}

function main() {
  const { values } = parseArgs({
    options: {
      host: { type: "string", short: "h", default: "localhost" },
      port: { type: "string", short: "p", default: "13050" },
      reservation: { type: "string", short: "r" },
    },
  });
  const join = values.reservation
    ? `<joinPrepared reservationCode="${values.reservation}"/>`
    : '<join gameType="swc_2026_piranhas"/>';
  const socket = net.connect({ host: values.host, port: Number(values.port), noDelay: true });
  const client = new Client(socket, (team, winner) => console.log(`I am ${team}. ${winner.reason}`));
  const reader = new Reader();
  socket.setEncoding("utf8");
  socket.on("connect", () => socket.write(`<protocol>${join}`));
  socket.on("data", (text) => {
    for (const message of reader.feed(text)) client.handle(message);
  });
  socket.on("error", (error) => {
    console.error(`No connection to ${values.host}:${values.port}: ${error.message}`);
    process.exitCode = 1;
  });
}

if (require.main === module) main();
module.exports = { Reader, legalMoves, readBoard };
